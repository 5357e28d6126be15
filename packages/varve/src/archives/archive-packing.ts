/** Packs the log in an archive so that any release of Node can unpack it, and the same log gives the same bytes for long. */
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { nodePacking } from '@varve/adapters'
import type { Packing } from '@varve/core'

const deflate = promisify<Uint8Array, Buffer>(deflateRaw)

export const archivePacking: Packing = {
  pack: async (bytes) => ({ form: 'deflate', bytes: await deflate(bytes) }),
  unpack: (form, bytes, length) => nodePacking.unpack(form, bytes, length),
}
