/** Certificates for tests: X.509 as far as a server and a client on this machine need it. */
import { generateKeyPairSync, sign } from 'node:crypto'
import type { TlsMaterial } from 'varve/http'

export type Pair = Required<{ readonly [K in 'key' | 'cert']: string }> & TlsMaterial

/** A certificate for 127.0.0.1 and localhost that signs itself, with its key. */
export function certificateOf(commonName: string): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(oid('550403'), tagged(0x0c, Buffer.from(commonName)))))
  const addresses = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.of(127, 0, 0, 1)))
  const authority = sequence(tagged(0x01, Buffer.of(0xff)))
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.of(2))),
    tagged(0x02, Buffer.of(1, ...Buffer.from(commonName))),
    ecdsaWithSha256,
    name,
    sequence(tagged(0x17, Buffer.from('250101000000Z')), tagged(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension('551d11', addresses), extension('551d13', authority))),
  )
  const signature = sign('sha256', content, privateKey)
  const der = sequence(content, ecdsaWithSha256, tagged(0x03, Buffer.of(0), signature))
  const lines = der.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

const tagged = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), body])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts)
const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts)
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))
const extension = (id: string, value: Uint8Array): Buffer => sequence(oid(id), tagged(0x04, value))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
