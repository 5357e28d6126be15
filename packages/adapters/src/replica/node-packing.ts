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

/** Fewer bytes are not worth the memory that packing takes. */
const packedMin = 256
/** So many bytes, in pieces taken evenly, tell whether bytes are packed already, or encrypted. */
const sample = { pieces: 16, bytes: 256 } as const
/** Bits for each byte of a sample in which every byte is about as frequent: a perfect one has 7.95. Text has 4 to 6. */
const evenBits = 7.8

/** Never rejects for what it has packed itself, also in another release of Node that is not older. */
export const nodePacking: Packing = {
  async pack(bytes) {
    return isWorthPacking(bytes) ? packed(bytes) : { form: 'plain', bytes }
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

/** All comes in one chunk: small ones cost Node more than packing them does. */
const packed: Packing['pack'] = async (bytes) =>
  compress === undefined
    ? { form: 'deflate', bytes: await deflateRaw(bytes, { level, memLevel: 9, chunkSize: Math.max(64, bytes.length) }) }
    : { form: 'zstd', bytes: await compress(bytes) }

/** Packing in vain takes longer than packing: deflate 0.14 ms for 4 KiB. */
function isWorthPacking(bytes: Uint8Array): boolean {
  const taken = sample.pieces * sample.bytes
  if (bytes.length < 4 * taken) return bytes.length >= packedMin
  const counts = new Uint32Array(256)
  const step = Math.floor((bytes.length - sample.bytes) / (sample.pieces - 1))
  for (let piece = 0; piece < sample.pieces; piece++) {
    const start = piece * step
    for (let at = start; at < start + sample.bytes; at++) counts[bytes[at] as number]!++
  }
  return bitsPerByte(counts, taken) < evenBits
}

/** The entropy of bytes of which there are so many (Shannon). */
function bitsPerByte(counts: Uint32Array, all: number): number {
  let bits = 0
  for (const count of counts) if (count > 0) bits += count * Math.log2(all / count)
  return bits / all
}

function whole(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes
  throw new Error(`${bytes.length} bytes were unpacked, and not ${length}.`)
}
