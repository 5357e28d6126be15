import type { DigestAlgorithm } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { nodeHashing } from './node-hashing.ts'

const hashing = await nodeHashing()
const check = Buffer.from('123456789')

/** The published check values of each algorithm: of nothing, and of the nine digits. */
const known: Readonly<Record<DigestAlgorithm, readonly [empty: string, check: string]>> = {
  MD5: ['d41d8cd98f00b204e9800998ecf8427e', '25f9e794323b453885f5181f1b624d0b'],
  SHA1: ['da39a3ee5e6b4b0d3255bfef95601890afd80709', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
  SHA256: [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
  ],
  CRC32: ['00000000', 'cbf43926'],
  CRC32C: ['00000000', 'e3069283'],
  CRC64NVME: ['0000000000000000', 'ae8b14860a799888'],
}
const algorithms = Object.keys(known) as DigestAlgorithm[]

function digest(algorithm: DigestAlgorithm, ...chunks: readonly Uint8Array[]): string {
  const state = hashing.create(algorithm)
  for (const chunk of chunks) state.update(chunk)
  return Buffer.from(state.finish()).toString('hex')
}

describe('hashing', () => {
  it.each(algorithms)('gives the published values of %s', (algorithm) => {
    expect(digest(algorithm)).toBe(known[algorithm][0])
    expect(digest(algorithm, check)).toBe(known[algorithm][1])
  })

  it.each(algorithms)('gives the same %s however the bytes are cut', (algorithm) => {
    for (let cut = 0; cut <= check.length; cut++) {
      const chunks = [check.subarray(0, cut), new Uint8Array(0), check.subarray(cut)]
      expect(digest(algorithm, ...chunks)).toBe(known[algorithm][1])
    }
    const large = Buffer.alloc(200_003, 'varve')
    expect(digest(algorithm, large.subarray(0, 70_001), large.subarray(70_001))).toBe(digest(algorithm, large))
  })

  it.each(algorithms)('keeps many streams of %s apart', (algorithm) => {
    const streams = Array.from({ length: 50 }, (_, i) => ({ state: hashing.create(algorithm), byte: Buffer.of(i) }))
    for (let round = 0; round < 7; round++) for (const { state, byte } of streams) state.update(byte)
    const digests = streams.map(({ state }) => Buffer.from(state.finish()).toString('hex'))
    expect(digests).toEqual(streams.map((_, i) => digest(algorithm, Buffer.alloc(7, i))))
    expect(new Set(digests).size).toBe(50)
  })

  it('links and guards in one call', () => {
    expect(Buffer.from(hashing.sha256(check), 'base64url').toString('hex')).toBe(known.SHA256[1])
    expect(hashing.crc32(check)).toBe(0xcbf43926)
    expect(hashing.crc32(check.subarray(4), hashing.crc32(check.subarray(0, 4)))).toBe(0xcbf43926)
  })
})
