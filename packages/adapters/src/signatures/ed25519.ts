/** Ed25519 signatures (RFC 8032) by Node. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** What the DER forms of keys have before the bytes of the key: RFC 8410. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

const publicKeyBytes = 32
const signatureBytes = 64

/** A key from its 32 secret bytes. */
const keyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' })

/** 32 bytes. */
export const ed25519PublicKey = (seed: Uint8Array): Uint8Array =>
  new Uint8Array(createPublicKey(keyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length))

/** 64 bytes. */
export const signEd25519 = (seed: Uint8Array, message: Uint8Array): Uint8Array =>
  new Uint8Array(sign(undefined, message, keyOf(seed)))

/** False also for bytes that are no key or no signature. */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== publicKeyBytes || signature.length !== signatureBytes) return false
  const key = createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' })
  return verify(undefined, message, key, signature)
}
