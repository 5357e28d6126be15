/** CORS rules set by @aws-sdk/client-s3, and the answers to requests with an Origin. */
import {
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  GetObjectCommand,
  PutBucketCorsCommand,
  type CORSRule,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect } from 'vitest'
import { inBothDialects, refusal, type Session } from './session.ts'

const rules: CORSRule[] = [
  {
    ID: 'pages',
    AllowedOrigins: ['https://*.example'],
    AllowedMethods: ['GET', 'HEAD'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 600,
  },
  { AllowedOrigins: ['*'], AllowedMethods: ['PUT'] },
]

async function bucketWith(session: Session, CORSRules = rules): Promise<string> {
  const Bucket = await session.bucket()
  await session.s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
  return Bucket
}

/** The CORS headers of an answer, which the browser of a page reads. */
async function headers(url: string, method: string, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(url, { method, headers })
  const text = await answer.text()
  const about = [...answer.headers].filter(([name]) => name.startsWith('access-control-'))
  return { status: answer.status, text, code: /<Code>(\w+)/.exec(text)?.[1], about: Object.fromEntries(about) }
}

const page = { origin: 'https://my.example' }
const asks = (method: string) => ({ ...page, 'access-control-request-method': method })

inBothDialects('rules for other origins', [
  [
    'rules are kept, given back and taken away',
    async (session) => {
      const { s3 } = session
      const Bucket = await session.bucket()
      const get = () => s3.send(new GetBucketCorsCommand({ Bucket }))
      expect(await refusal(get())).toEqual(['NoSuchCORSConfiguration', 404])
      await s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: rules } }))
      expect((await get()).CORSRules).toEqual(rules)
      for (const _ of [1, 2]) {
        expect((await s3.send(new DeleteBucketCorsCommand({ Bucket }))).$metadata.httpStatusCode).toBe(204)
      }
      expect(await refusal(get())).toEqual(['NoSuchCORSConfiguration', 404])
    },
  ],
  [
    'rules that CORS cannot express are refused',
    async (session) => {
      const wrong = { AllowedOrigins: ['*'], AllowedMethods: ['MYMETHOD'] }
      await expect(bucketWith(session, [wrong])).rejects.toMatchObject({
        name: 'InvalidRequest',
        message: 'Found unsupported HTTP method in CORS config. Unsupported method is MYMETHOD',
      })
    },
  ],
  [
    'a preflight request is answered without credentials',
    async (session) => {
      const bucket = await bucketWith(session)
      const url = `http://${session.server.host}/${bucket}/any key`
      expect(await headers(url, 'OPTIONS', { ...asks('GET'), 'access-control-request-headers': 'Range' })).toEqual({
        status: 200,
        text: '',
        about: {
          'access-control-allow-origin': 'https://my.example',
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'range',
          'access-control-expose-headers': 'ETag',
          'access-control-max-age': '600',
          'access-control-allow-credentials': 'true',
        },
      })
      expect(await headers(url, 'OPTIONS', asks('DELETE'))).toMatchObject({
        status: 403,
        code: 'AccessForbidden',
        about: {},
      })
      expect(await headers(url, 'OPTIONS', {})).toMatchObject({ status: 400, code: 'BadRequest', about: {} })
    },
  ],
  [
    'a page reads what a URL was signed for, and errors too',
    async (session) => {
      const bucket = await bucketWith(session)
      await session.put(bucket, 'key', 'words')
      const url = await getSignedUrl(session.s3, new GetObjectCommand({ Bucket: bucket, Key: 'key' }) as never)
      const about = { 'access-control-allow-origin': 'https://my.example' }
      expect(await headers(url, 'GET', page)).toMatchObject({ status: 200, text: 'words', about })
      expect(await headers(`${url}0`, 'GET', page)).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch', about })
      expect(await headers(url, 'GET', { origin: 'https://other' })).toMatchObject({ status: 200, about: {} })
      expect(await headers(url, 'GET', {})).toMatchObject({ status: 200, about: {} })
    },
  ],
])
