/** A key for a log, whose file is a variable. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { LogSigner } from '../ports/index.ts'

const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

export const verifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    undefined,
    message,
    createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' }),
    signature,
  )

export interface FixtureSigner extends LogSigner {
  /** The last note, as a file would have it. */
  note: string | undefined
}

const newPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

const publicKeyOf = (pem: string): Uint8Array =>
  new Uint8Array(createPublicKey(createPrivateKey(pem)).export({ format: 'der', type: 'spki' }).subarray(12))

const signWith = (pem: string, message: Uint8Array): Uint8Array =>
  new Uint8Array(sign(undefined, message, createPrivateKey(pem)))

export function fixtureSigner(): FixtureSigner {
  let [origin, pem] = ['log.example/one', newPem()]
  return {
    note: undefined,
    identity: async () => ({ origin, publicKey: publicKeyOf(pem) }),
    sign: async (message) => signWith(pem, message),
    async last() {
      return this.note
    },
    async keep(note) {
      this.note = note
    },
    async renew(name = 'log.example/two') {
      origin = name
      pem = newPem()
      this.note = undefined
      return { origin, publicKey: publicKeyOf(pem) }
    },
    verify: verifySignature,
  }
}

/** A witness that signs what it is given. */
export function fixtureWitness(name: string) {
  const pem = newPem()
  return { name, publicKey: publicKeyOf(pem), sign: (message: Uint8Array) => signWith(pem, message) }
}
