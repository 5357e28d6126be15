import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import type { BlobContent } from '../events/index.ts'
import type { ByteRange, ByteSource } from '../ports/index.ts'
import { hashing } from '../api/memory-ports.fixture.ts'
import { chunkBytes, ChunkCipher, plainSize, sealedRange, secretLength } from './chunk-cipher.ts'
import { ciphers } from './ciphers.fixture.ts'
import { openSealed } from './opening.ts'
import { SealedBytes } from './sealing.ts'

const modes = ['AES256', 'aws:kms:dsse'] as const
type Mode = (typeof modes)[number]

const cipherFor = (mode: Mode) => new ChunkCipher(ciphers, ciphers.random(secretLength(mode)))
const plainOf = (size: number) => new Uint8Array(size).map((_, i) => (i * 31 + (i >> 8)) % 251)

async function collect(source: ByteSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Uint8Array.from(chunk))
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Yields pieces of the given lengths, again and again, each in the same buffer. The next request overwrites the
 * previous piece.
 */
async function* inPieces(bytes: Uint8Array, lengths: readonly number[]): ByteSource {
  const buffer = new Uint8Array(Math.max(...lengths))
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = Math.min(lengths[i % lengths.length] as number, bytes.length - at)
    buffer.set(bytes.subarray(at, at + length))
    yield buffer.subarray(0, length)
    at += length
  }
}

const contentOf = (stored: Uint8Array, mode: Mode): BlobContent => ({
  kind: 'blob',
  blob: { id: 'b', size: stored.length, inline: false, crcs: '' },
  sealed: { v: 1, mode },
})

function open(cipher: ChunkCipher, stored: Uint8Array, range: ByteRange, lengths: readonly number[]) {
  const { blob } = contentOf(stored, 'AES256')
  const chunks = sealedRange(blob, cipher.overhead, range)
  return collect(
    openSealed(cipher, inPieces(stored.subarray(chunks.stored.start, chunks.stored.end), lengths), blob, chunks),
  )
}

const seal = (cipher: ChunkCipher, plain: Uint8Array) =>
  new Uint8Array(Buffer.concat(new SealedBytes(cipher, hashing).seal(plain)))

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof StorageError ? `${error.code} ${error.details['kind']}` : error),
  )

const edges = [1, 2, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 3 * chunkBytes + 17]
const size = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 1, max: 3 * chunkBytes }))
const lengths = fc.array(
  fc.oneof(fc.constantFrom(chunkBytes, chunkBytes + 16, 1 << 20), fc.integer({ min: 50, max: 100_000 })),
  {
    minLength: 1,
    maxLength: 3,
  },
)

describe('sealed bytes', () => {
  it('are the plain ones again, whole or any range of them, however they come in and out', async () => {
    const edge = fc.oneof(fc.constantFrom(0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1), fc.nat(3 * chunkBytes))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...modes),
        size,
        lengths,
        fc.tuple(edge, edge),
        async (mode, length, pieces, [a, b]) => {
          const [plain, cipher] = [plainOf(length), cipherFor(mode)]
          const sealer = new SealedBytes(cipher, hashing)
          const stored = await collect(sealer.of(inPieces(plain, pieces)))
          expect(sealer.finish().size).toBe(stored.length)
          expect(plainSize(contentOf(stored, mode))).toBe(length)
          const [start, end] = [Math.min(a, b, length - 1), Math.min(Math.max(a, b) + 1, length)]
          expect(
            Buffer.from(await open(cipher, stored, { start, end }, pieces)).equals(plain.subarray(start, end)),
          ).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each(modes)('give all ranges that begin and end around the edges of their chunks: %s', async (mode) => {
    const length = 2 * chunkBytes + 3
    const [plain, cipher] = [plainOf(length), cipherFor(mode)]
    const stored = seal(cipher, plain)
    const places = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 2 * chunkBytes + 1, length]
    for (const start of places) {
      for (const end of places.filter((place) => place > start)) {
        const got = await open(cipher, stored, { start, end }, [1 << 20])
        expect(Buffer.from(got).equals(plain.subarray(start, end))).toBe(true)
      }
    }
  })

  it('are refused with any byte changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...modes),
        size,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (mode, length, place, flip) => {
          const cipher = cipherFor(mode)
          const stored = seal(cipher, plainOf(length))
          const at = place % stored.length
          stored[at] = (stored[at] as number) ^ flip
          expect(await codeOf(open(cipher, stored, { start: 0, end: length }, [1 << 20]))).toBe('BlobCorrupt seal')
        },
      ),
      { numRuns: 60 },
    )
  })

  it('are refused with every single byte changed, where there are few', async () => {
    const cipher = cipherFor('aws:kms:dsse')
    const stored = seal(cipher, plainOf(40))
    for (let at = 0; at < stored.length; at++) {
      const changed = Uint8Array.from(stored, (byte, i) => (i === at ? byte ^ 1 : byte))
      expect(await codeOf(open(cipher, changed, { start: 0, end: 40 }, [1 << 20]))).toBe('BlobCorrupt seal')
    }
  })

  it('are refused when they are cut off, also between two chunks', async () => {
    const [cipher, stride] = [cipherFor('AES256'), chunkBytes + 16]
    const stored = seal(cipher, plainOf(3 * chunkBytes))
    for (const end of [stride - 1, stride, stride + 17, 2 * stride, 3 * stride - 1]) {
      const rest = stored.subarray(0, end)
      const length = Math.min(chunkBytes, end - 16)
      expect(
        await codeOf(
          open(cipher, rest, { start: Math.floor((end - 17) / stride) * chunkBytes, end: length * 3 }, [1 << 20]),
        ),
      ).toBe('BlobCorrupt seal')
    }
  })

  it('are refused when chunks change places, are left out, repeated, or come from another content', async () => {
    const [cipher, other, stride] = [cipherFor('AES256'), cipherFor('AES256'), chunkBytes + 16]
    const plain = plainOf(3 * chunkBytes)
    const [a, b, c] = [0, 1, 2].map((i) => seal(cipher, plain).subarray(i * stride, (i + 1) * stride)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const foreign = seal(other, plain).subarray(stride, 2 * stride)
    for (const chunks of [
      [b, a, c],
      [a, c, b],
      [a, c],
      [a, a, c],
      [a, b, b],
      [a, foreign, c],
      [a, b, c, c],
    ]) {
      const stored = new Uint8Array(Buffer.concat(chunks))
      const work = open(cipher, stored, { start: 0, end: chunks.length * chunkBytes }, [1 << 20])
      expect(await codeOf(work)).toBe('BlobCorrupt seal')
    }
  })

  it('are refused by another key, before any byte is given', async () => {
    const stored = seal(cipherFor('AES256'), plainOf(100))
    expect(await codeOf(open(cipherFor('AES256'), stored, { start: 0, end: 1 }, [1 << 20]))).toBe('BlobCorrupt seal')
  })

  it('need both keys where there are two', async () => {
    const secret = ciphers.random(64)
    const stored = seal(new ChunkCipher(ciphers, secret), plainOf(100))
    const half = Uint8Array.of(...secret.subarray(0, 32), ...ciphers.random(32))
    expect(await codeOf(open(new ChunkCipher(ciphers, half), stored, { start: 0, end: 1 }, [1 << 20]))).toBe(
      'BlobCorrupt seal',
    )
  })

  it('refuse a size that sealed bytes cannot have', () => {
    const sizes = [0, 1, 16, chunkBytes + 17, chunkBytes + 32]
    for (const bytes of sizes) expect(() => plainSize(contentOf(new Uint8Array(bytes), 'AES256'))).toThrow('seal')
    expect(plainSize(contentOf(new Uint8Array(17), 'AES256'))).toBe(1)
  })
})
