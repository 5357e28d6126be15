import type { CryptographicAlgorithm, DigestAlgorithm } from '@varve/core'
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
  SHA512: [
    'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
    'd9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85',
  ],
  XXHASH64: ['ef46db3751d8e999', '8cb841db40e6ae83'],
  XXHASH3: ['2d06800538d394c2', '72dcb18b67a17dff'],
  XXHASH128: ['99aa06d3014798d86001c324468d497f', '33119477ede5dcd5e9716427681d5860'],
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

  it.each<CryptographicAlgorithm>(['MD5', 'SHA1', 'SHA256', 'SHA512'])('gives the same %s of a whole', (algorithm) => {
    for (const bytes of [new Uint8Array(), check, Buffer.alloc(4096, 'varve').subarray(1)]) {
      const whole = hashing.digest?.(algorithm, bytes)
      expect(whole?.constructor).toBe(Uint8Array)
      expect(Buffer.from(whole ?? []).toString('hex')).toBe(digest(algorithm, bytes))
    }
  })

  it('links and guards in one call', () => {
    expect(Buffer.from(hashing.sha256(check), 'base64url').toString('hex')).toBe(known.SHA256[1])
    expect(hashing.crc32(check)).toBe(0xcbf43926)
    expect(hashing.crc32(check.subarray(4), hashing.crc32(check.subarray(0, 4)))).toBe(0xcbf43926)
  })
})
