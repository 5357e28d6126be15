import { describe, expect, it } from 'vitest'
import { nodeCiphers } from './node-ciphers.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const hex = (value: Uint8Array | undefined) => value && Buffer.from(value).toString('hex')

describe('the ciphers of the runtime', () => {
  // Test cases 14 and 15 of the specification of GCM; case 15 has no bytes beside the plain ones.
  it.each([
    [
      '00'.repeat(32),
      '00'.repeat(12),
      '00'.repeat(16),
      'cea7403d4d606b6e074ec5d3baf39d18',
      'd0d1c8a799996bf0265b98b5d48ab919',
    ],
    [
      'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308',
      'cafebabefacedbaddecaf888',
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad',
      'b094dac5d93471bdec1a502270e3cc6c',
    ],
  ])('seal as the specification of AES-GCM requires: key %s', (...[key, nonce, plain, ciphertext, tag]) => {
    const sealed = nodeCiphers.seal(bytes(key), bytes(nonce), bytes(plain))
    expect(hex(sealed)).toBe(ciphertext + tag)
    expect(hex(nodeCiphers.open(bytes(key), bytes(nonce), sealed))).toBe(plain)
  })

  it('open nothing that is not what was sealed, and nothing that is too short to be', () => {
    const [key, nonce] = [nodeCiphers.random(32), nodeCiphers.random(12)]
    const sealed = nodeCiphers.seal(key, nonce, bytes('010203'))
    expect(nodeCiphers.open(nodeCiphers.random(32), nonce, sealed)).toBeUndefined()
    expect(nodeCiphers.open(key, nodeCiphers.random(12), sealed)).toBeUndefined()
    expect(nodeCiphers.open(key, nonce, sealed.subarray(1))).toBeUndefined()
    expect(nodeCiphers.open(key, nonce, sealed.subarray(0, 15))).toBeUndefined()
  })

  it('derive keys as RFC 5869 does: its third test case', () => {
    expect(hex(nodeCiphers.derive(bytes('0b'.repeat(22)), bytes(''), '', 42))).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
    )
  })

  it('make as many random bytes as requested, never the same', () => {
    expect(nodeCiphers.random(32)).toHaveLength(32)
    expect(hex(nodeCiphers.random(32))).not.toBe(hex(nodeCiphers.random(32)))
  })
})
