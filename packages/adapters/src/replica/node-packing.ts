/** Packs bytes with what Node has: zstd from 22.15 on, else deflate. Every release of Node unpacks deflate. */
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { type Packing, StorageError } from '@varve/core'

const deflateRaw = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.deflateRaw)
const inflateRaw = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflateRaw)

/** The part of Node that older releases do not have. */
interface Zstd {
  zstdCompress?(bytes: Uint8Array, callback: (error: Error | null, packed: Buffer) => void): void
  zstdDecompress?(
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number },
    callback: (error: Error | null, bytes: Buffer) => void,
  ): void
}

const { zstdCompress, zstdDecompress } = zlib as Zstd
const compress = zstdCompress && promisify(zstdCompress)
const decompress = zstdDecompress && promisify(zstdDecompress)
/** Higher levels take several times as long for little. */
const level = 1

/** Never rejects for what it has packed itself, also in another release of Node that is not older. */
export const nodePacking: Packing = {
  async pack(bytes) {
    if (compress !== undefined) return { form: 'zstd', bytes: await compress(bytes) }
    return { form: 'deflate', bytes: await deflateRaw(bytes, { level }) }
  },
  async unpack(form, bytes, length) {
    // A damaged length must not ask for memory without end, and 0 would mean no limit.
    const maxOutputLength = Math.max(1, length)
    switch (form) {
      case 'plain':
        return whole(bytes, length)
      case 'deflate':
        return whole(await inflateRaw(bytes, { maxOutputLength }), length)
      case 'zstd':
        if (decompress !== undefined) return whole(await decompress(bytes, { maxOutputLength }), length)
        throw new StorageError(
          'UnsupportedFormat',
          'The replica is packed with zstd, which needs Node 22.15 or later.',
          {
            details: { kind: 'zstd' },
          },
        )
    }
  },
}

function whole(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes
  throw new Error(`${bytes.length} bytes were unpacked, and not ${length}.`)
}
