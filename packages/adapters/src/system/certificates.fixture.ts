/** Certificates for tests: X.509 as far as servers and clients on this machine need it. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Certificate {
  readonly key: string
  readonly cert: string
  readonly commonName: string
  readonly privateKey: KeyObject
}

export interface CertificateOptions {
  /** What signs it. @default itself */
  readonly by?: Certificate
  /** The host names in it. @default localhost */
  readonly names?: readonly string[]
  /** The last day: `YYMMDD`. @default 491231 */
  readonly until?: string
}

/** A certificate for the names and 127.0.0.1, with its key. One that signs itself can sign others. */
export function certificateOf(commonName: string, options: CertificateOptions = {}): Certificate {
  const { by, names = ['localhost'], until = '491231' } = options
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const hosts = names.map((name) => tagged(0x82, Buffer.from(name)))
  const addresses = sequence(...hosts, tagged(0x87, Buffer.of(127, 0, 0, 1)))
  const authority = by === undefined ? sequence(tagged(0x01, Buffer.of(0xff))) : sequence()
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.of(2))),
    tagged(0x02, Buffer.of(1, ...randomBytes(8))),
    ecdsaWithSha256,
    nameOf(by?.commonName ?? commonName),
    sequence(tagged(0x17, Buffer.from('200101000000Z')), tagged(0x17, Buffer.from(`${until}235959Z`))),
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension('551d11', addresses), extension('551d13', authority))),
  )
  const signature = sign('sha256', content, by?.privateKey ?? privateKey)
  const der = sequence(content, ecdsaWithSha256, tagged(0x03, Buffer.of(0), signature))
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    commonName,
    privateKey,
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
const nameOf = (commonName: string): Buffer =>
  sequence(set(sequence(oid('550403'), tagged(0x0c, Buffer.from(commonName)))))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
