import { createHmac } from 'node:crypto'
import { alice } from '../signed-request.fixture.ts'
import { hmacHex } from '../sigv4/digests.ts'
import { deriveSigningKey } from '../sigv4/signing-keys.ts'

export const boundary = 'boundary'

/** A field as its name and value, or, for the file, with the name it has. */
export type Field = readonly [name: string, value: string, fileName?: string]

/** A form as it goes over the wire. */
export function formOf(fields: readonly Field[]): string {
  const parts = fields.map(([name, value, fileName]) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** What signs a policy by V4 as the page of alice's would. */
export function signedV4(conditions: readonly unknown[], expiration = '2026-01-01T13:00:00Z'): readonly Field[] {
  const credential = 'ALICE/20260101/eu/s3/aws4_request'
  const fields = [
    ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
    ['x-amz-credential', credential],
    ['x-amz-date', '20260101T110000Z'],
  ] as const
  const all = [...conditions, ...fields.map(([name, value]) => ({ [name]: value }))]
  const policy = encoded({ expiration, conditions: all })
  const key = deriveSigningKey(alice.secretAccessKey, { date: '20260101', region: 'eu', service: 's3' })
  return [...fields, ['policy', policy], ['x-amz-signature', hmacHex(key, policy)]]
}

/** The same by V2. */
export function signedV2(conditions: readonly unknown[], expiration = '2026-01-01T13:00:00Z'): readonly Field[] {
  const policy = encoded({ expiration, conditions })
  return [
    ['AWSAccessKeyId', alice.accessKeyId],
    ['policy', policy],
    ['signature', createHmac('sha1', alice.secretAccessKey).update(policy).digest('base64')],
  ]
}

export const encoded = (document: unknown): string => Buffer.from(JSON.stringify(document)).toString('base64')

/** In pieces of a length. */
export async function* inPieces(text: string, length = text.length): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text, 'utf8')
  for (let at = 0; at < bytes.length; at += length) yield Buffer.from(bytes.subarray(at, at + length))
}
