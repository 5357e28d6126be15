/** The chapter on authentication: which identity may do what, operation by operation. */
import { createHash, createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { call, type Answer } from '../support/call.ts'
import { completionBody, type TestService, expectStatus, refusal, versioningBody } from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'
import type { Statement } from '../support/server.ts'

const resources = ['bucket', 'object'] as const
type Resource = (typeof resources)[number]
const arn = { bucket: 'arn:aws:s3:::bucket-*', object: 'arn:aws:s3:::bucket-*/*' } as const

/** The permission table, and a request that needs just that permission. */
const permissions: readonly {
  readonly operation: string
  readonly action: string
  readonly resource: Resource
  readonly status: number
  ask(service: TestService, as: string): Promise<Answer>
}[] = [
  {
    operation: 'CreateBucket',
    action: 'CreateBucket',
    resource: 'bucket',
    status: 200,
    ask: (service, as) => service.ask(`PUT /${service.name()}`, { as }),
  },
  {
    operation: 'DeleteBucket',
    action: 'DeleteBucket',
    resource: 'bucket',
    status: 204,
    ask: async (service, as) => service.ask(`DELETE /${await service.bucket()}`, { as }),
  },
  {
    operation: 'GetBucketLocation',
    action: 'GetBucketLocation',
    resource: 'bucket',
    status: 200,
    ask: async (service, as) => service.ask(`GET /${await service.bucket()}?location`, { as }),
  },
  {
    operation: 'ListObjectVersions',
    action: 'ListBucketVersions',
    // The description names objects. As in AWS, a permission on objects gives no permission on their bucket.
    resource: 'bucket',
    status: 200,
    ask: async (service, as) => service.ask(`GET /${await service.bucket()}?versions`, { as }),
  },
  {
    operation: 'DeleteObject without versionId',
    action: 'DeleteObject',
    resource: 'object',
    status: 204,
    ask: async (service, as) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      return service.ask(`DELETE /${bucket}/a`, { as })
    },
  },
  {
    operation: 'DeleteObject with versionId',
    action: 'DeleteObjectVersion',
    resource: 'object',
    status: 204,
    ask: async (service, as) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`)
      return service.ask(`DELETE /${bucket}/a?versionId=${versionId}`, { as })
    },
  },
  {
    operation: 'CompleteMultipartUpload',
    action: 'PutObject',
    resource: 'object',
    status: 200,
    ask: async (service, as) =>
      (await service.upload(`/${await service.bucket()}/a`, { 1: 'a' })).complete(undefined, { as }),
  },
]

const may = (action: string, ...on: readonly string[]): readonly Statement[] => [
  { Effect: 'Allow', Action: `s3:${action}`, Resource: on },
]
const actions = [...new Set(permissions.map(({ action }) => action))]
const policies: Record<string, readonly Statement[]> = {
  nothing: may('GetObjectTorrent', '*'),
  ...Object.fromEntries(actions.map((action) => [`may-${action}`, may(action, arn.bucket, arn.object)])),
  ...Object.fromEntries(
    permissions.map(({ action, resource }) => [`may-${action}-on-${resource}`, may(action, arn[resource])]),
  ),
  ...Object.fromEntries(
    actions.map((action) => [
      `all-but-${action}`,
      [
        { Effect: 'Allow', Action: 's3:*', Resource: '*' },
        { Effect: 'Deny', Action: `s3:${action}`, Resource: '*' },
      ] as const,
    ]),
  ),
}

sentences(
  '5 Authentication',
  [
    [
      'requests carry an Authorization header holding an authorization string, and a Date header',
      async (service) => {
        const bucket = await service.bucket()
        const answer = await signedByDate(service, `/${bucket}`, 'location=')
        expect([answer.status, answer.xml().text]).toEqual([200, 'eu'])
      },
    ],
    [
      'creating a bucket requires an access key identifier to authenticate the request',
      async (service) => {
        const bucket = service.name()
        expect(refusal(await service.ask(`PUT /${bucket}`, { as: 'nobody' }))).toEqual([403, 'AccessDenied'])
        expect((await service.ask(`GET /${bucket}?location`)).status).toBe(404)
        expectStatus(await service.ask(`PUT /${bucket}`, { as: 'ann' }), 200)
      },
    ],
    [
      'anonymous requests are never allowed to create buckets, whatever headers they send',
      async (service) => {
        const bucket = service.name()
        for (const [name, value] of [
          ['x-amz-acl', 'public-read-write'],
          ['x-amz-security-token', 'x'],
          ['authorization', ''],
          ['date', new Date().toUTCString()],
        ] as const) {
          const answer = await service.ask(`PUT /${bucket}`, { as: 'nobody', headers: { [name]: value } })
          expect(answer.status).toBe(403)
        }
        expect((await service.ask(`GET /${bucket}?location`)).status).toBe(404)
      },
    ],
    ...permissions.flatMap(({ operation, action, resource, status, ask }): Sentence[] => [
      [
        `${operation} is allowed with ${action} and nothing else`,
        async (service) => {
          expectStatus(await ask(service, `may-${action}`), status)
        },
      ],
      [
        `${operation}: the resource of ${action} is the ${resource}`,
        async (service) => {
          expectStatus(await ask(service, `may-${action}-on-${resource}`), status)
        },
      ],
      [
        `${operation} is refused with every permission but ${action}`,
        async (service) => {
          expect(refusal(await ask(service, `all-but-${action}`))).toEqual([403, 'AccessDenied'])
        },
      ],
      [
        `${operation} is refused without permissions, and without credentials`,
        async (service) => {
          expect(refusal(await ask(service, 'nothing'))).toEqual([403, 'AccessDenied'])
          expect(refusal(await ask(service, 'nobody'))).toEqual([403, 'AccessDenied'])
        },
      ],
    ]),
    [
      'DeleteObject does not grant DeleteObjectVersion',
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const { versionId } = await service.put(`/${bucket}/a`)
        const named = await service.ask(`DELETE /${bucket}/a?versionId=${versionId}`, { as: 'may-DeleteObject' })
        expect(refusal(named)).toEqual([403, 'AccessDenied'])
        expect((await service.list(bucket)).all('Version')).toHaveLength(1)
        expectStatus(await service.ask(`DELETE /${bucket}/a`, { as: 'may-DeleteObject' }), 204)
      },
    ],
    [
      'DeleteObjectVersion does not grant DeleteObject',
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const { versionId } = await service.put(`/${bucket}/a`)
        const current = await service.ask(`DELETE /${bucket}/a`, { as: 'may-DeleteObjectVersion' })
        expect(refusal(current)).toEqual([403, 'AccessDenied'])
        expect((await service.list(bucket)).all('DeleteMarker')).toHaveLength(0)
        const named = await service.ask(`DELETE /${bucket}/a?versionId=${versionId}`, { as: 'may-DeleteObjectVersion' })
        expectStatus(named, 204)
      },
    ],
    [
      'what was refused was not done',
      async (service) => {
        const bucket = await service.bucket()
        await service.put(`/${bucket}/a`)
        const body = completionBody([{ PartNumber: 1, ETag: 'x' }])
        for (const [line, requested] of [
          [`DELETE /${bucket}`, {}],
          [`DELETE /${bucket}/a`, {}],
          [`DELETE /${bucket}/a?versionId=null`, {}],
          [`PUT /${bucket}/a`, { body: 'other' }],
          [`PUT /${bucket}?versioning`, { body: versioningBody('Enabled') }],
          [`POST /${bucket}/a?uploadId=x`, { body }],
        ] as const) {
          expect(refusal(await service.ask(line, { ...requested, as: 'nothing' })), line).toEqual([403, 'AccessDenied'])
          expect(refusal(await service.ask(line, { ...requested, as: 'nobody' })), line).toEqual([403, 'AccessDenied'])
        }
        expect((await service.ask(`GET /${bucket}/a`)).text).toBe(`/${bucket}/a`)
        expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBeUndefined()
      },
    ],
    [
      'users without a policy may do everything in what they created, and nothing in what others did',
      async (service) => {
        const bucket = await service.bucket({ as: 'ann' })
        expectStatus(await service.ask(`PUT /${bucket}/a`, { as: 'ann', body: 'a' }), 200)
        for (const line of [
          `GET /${bucket}?versions`,
          `DELETE /${bucket}/a`,
          `GET /${bucket}/a`,
          `DELETE /${bucket}`,
        ]) {
          expect(refusal(await service.ask(line, { as: 'bob' })), line).toEqual([403, 'AccessDenied'])
        }
        expectStatus(await service.ask(`DELETE /${bucket}/a`, { as: 'ann' }), 204)
      },
    ],
  ],
  { policies },
)

/** A GET signed with nothing but a Date header for its time, by a signer of our own. */
async function signedByDate({ server }: TestService, path: string, query: string): Promise<Answer> {
  const { accessKeyId, secretAccessKey } = server.credentials('root')
  const now = new Date()
  const amzDate = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const date = now.toUTCString()
  const hash = createHash('sha256').update('').digest('hex')
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const names = 'date;host;x-amz-content-sha256'
  const headerLines = `date:${date}\nhost:${server.host}\nx-amz-content-sha256:${hash}\n`
  const canonical = ['GET', path, query, headerLines, names, hash].join('\n')
  const scope = [amzDate.slice(0, 8), 'eu', 's3', 'aws4_request']
  const key = scope.reduce<string | Buffer>((previous, part) => hmac(previous, part), `AWS4${secretAccessKey}`)
  const canonicalHash = createHash('sha256').update(canonical).digest('hex')
  const signature = hmac(key, ['AWS4-HMAC-SHA256', amzDate, scope.join('/'), canonicalHash].join('\n')).toString('hex')
  const credential = `${accessKeyId}/${scope.join('/')}`
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return call(server, `GET ${path}?${query}`, {
    as: 'nobody',
    headers: { date, 'x-amz-content-sha256': hash, authorization },
  })
}
