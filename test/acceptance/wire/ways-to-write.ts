/** Every way to create an object, with a header of the test's choice. */
import { presign } from 'varve/http'
import { deriveSigningKey } from '#http/sigv4/signing-keys'
import { hmacHex } from '#http/sigv4/digests'
import { call } from '../support/call.ts'
import { credentialsOf } from '../support/test-server.ts'
import type { TestService } from '../support/test-service.ts'

export interface Written {
  readonly status: number
  readonly code: string | undefined
}

/** Writes the object `k`. A copy has the source `source`. */
export type WayToWrite = (service: TestService, bucket: string, header: string, value: string) => Promise<Written>

async function send(service: TestService, line: string, headers: Readonly<Record<string, string>>): Promise<Written> {
  const answer = await service.ask(line, {
    headers,
    body: line.startsWith('PUT') && !('x-amz-copy-source' in headers) ? 'x' : '',
  })
  return { status: answer.status, code: answer.code() }
}

async function presigned({ server }: TestService, bucket: string, header: string, value: string): Promise<Written> {
  const rawPath = `/${bucket}/k`
  const rawQuery = `${header}=${encodeURIComponent(value)}`
  const signed = presign(
    { method: 'PUT', rawPath, rawQuery, headers: [['host', server.host]] },
    { ...credentialsOf('root'), region: 'eu', now: Date.now(), expiresSeconds: 60 },
  )
  const answer = await call(server, `PUT ${rawPath}?${signed.rawQuery}`, { as: 'nobody', body: 'x' })
  return { status: answer.status, code: answer.code() }
}

const posted: WayToWrite = (service, bucket, header, value) => postForm(service, bucket, { [header]: value })

/** Sends a signed form with these fields and headers. */
export async function postForm(
  { server }: TestService,
  bucket: string,
  more: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Written> {
  const { accessKeyId, secretAccessKey } = credentialsOf('root')
  const now = new Date()
  const date = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = date.slice(0, 8)
  const fields = {
    key: 'k',
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${accessKeyId}/${day}/eu/s3/aws4_request`,
    'x-amz-date': date,
    ...more,
  }
  const conditions = [{ bucket }, ...Object.entries(fields).map(([name, text]) => ({ [name]: text }))]
  const expiration = new Date(now.getTime() + 60_000).toISOString()
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64')
  const key = deriveSigningKey(secretAccessKey, { date: day, region: 'eu', service: 's3' })
  const form = new FormData()
  for (const [name, text] of Object.entries({ ...fields, policy, 'x-amz-signature': hmacHex(key, policy) })) {
    form.append(name, text)
  }
  form.append('file', 'x')
  const answer = await fetch(`http://${server.host}/${bucket}`, { method: 'POST', body: form, headers })
  return { status: answer.status, code: /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] }
}

/** Every way to create an object. */
export const waysToWrite: readonly (readonly [name: string, write: WayToWrite])[] = [
  ['PutObject', (service, bucket, header, value) => send(service, `PUT /${bucket}/k`, { [header]: value })],
  [
    'CopyObject',
    (service, bucket, header, value) =>
      send(service, `PUT /${bucket}/k`, { 'x-amz-copy-source': `${bucket}/source`, [header]: value }),
  ],
  [
    'CreateMultipartUpload',
    (service, bucket, header, value) => send(service, `POST /${bucket}/k?uploads`, { [header]: value }),
  ],
  ['a presigned URL', presigned],
  ['a form', posted],
]
