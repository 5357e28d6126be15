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

/** Bytes of which so many pieces of this size, taken evenly, become hardly shorter are left as they are: most are packed already. */
const sample = { pieces: 16, bytes: 256, share: 0.97 } as const

/** Never rejects for what it has packed itself, also in another release of Node that is not older. */
export const nodePacking: Packing = {
  async pack(bytes) {
    return (await isWorthPacking(bytes)) ? packed(bytes) : { form: 'plain', bytes }
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

const packed: Packing['pack'] = async (bytes) =>
  compress === undefined
    ? { form: 'deflate', bytes: await deflateRaw(bytes, { level }) }
    : { form: 'zstd', bytes: await compress(bytes) }

/** Packing in vain takes longer than packing: deflate 0.1 ms for 4 KiB. */
async function isWorthPacking(bytes: Uint8Array): Promise<boolean> {
  const taken = sample.pieces * sample.bytes
  if (bytes.length < 4 * taken) return true
  const pieces = new Uint8Array(taken)
  const step = Math.floor((bytes.length - sample.bytes) / (sample.pieces - 1))
  for (let n = 0; n < sample.pieces; n++)
    pieces.set(bytes.subarray(n * step, n * step + sample.bytes), n * sample.bytes)
  return (await packed(pieces)).bytes.length < taken * sample.share
}

function whole(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes
  throw new Error(`${bytes.length} bytes were unpacked, and not ${length}.`)
}
