import { describe, expect, it } from 'vitest'
import { ed25519PublicKey, signEd25519, verifyEd25519 } from './ed25519.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex')

const seed = bytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60')
const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
const signature =
  'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'

describe('Ed25519 signatures', () => {
  it('are those of RFC 8032: its first test', () => {
    expect(hex(ed25519PublicKey(seed))).toBe(publicKey)
    expect(hex(signEd25519(seed, bytes('')))).toBe(signature)
    expect(verifyEd25519(bytes(publicKey), bytes(''), bytes(signature))).toBe(true)
  })

  it('are refused for another message, another key, and bytes that are no key or no signature', () => {
    const other = ed25519PublicKey(bytes('11'.repeat(32)))
    expect(verifyEd25519(bytes(publicKey), bytes('00'), bytes(signature))).toBe(false)
    expect(verifyEd25519(other, bytes(''), bytes(signature))).toBe(false)
    expect(verifyEd25519(bytes('ff'.repeat(32)), bytes(''), bytes(signature))).toBe(false)
    expect(verifyEd25519(bytes(publicKey).subarray(1), bytes(''), bytes(signature))).toBe(false)
    expect(verifyEd25519(bytes(publicKey), bytes(''), bytes(signature).subarray(1))).toBe(false)
  })
})
