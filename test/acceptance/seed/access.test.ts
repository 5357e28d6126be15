/** The chapter on authentication: who may do what, operation by operation. */
import { createHash, createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { call, type Answer } from '../support/call.ts'
import { completionBody, type Door, expectStatus, refusal, versioningBody } from '../support/door.ts'
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
  ask(door: Door, as: string): Promise<Answer>
}[] = [
  {
    operation: 'CreateBucket',
    action: 'CreateBucket',
    resource: 'bucket',
    status: 200,
    ask: (door, as) => door.ask(`PUT /${door.name()}`, { as }),
  },
  {
    operation: 'DeleteBucket',
    action: 'DeleteBucket',
    resource: 'bucket',
    status: 204,
    ask: async (door, as) => door.ask(`DELETE /${await door.bucket()}`, { as }),
  },
  {
    operation: 'GetBucketLocation',
    action: 'GetBucketLocation',
    resource: 'bucket',
    status: 200,
    ask: async (door, as) => door.ask(`GET /${await door.bucket()}?location`, { as }),
  },
  {
    operation: 'ListObjectVersions',
    action: 'ListBucketVersions',
    // The description names objects; as in AWS, what is said of objects gives nothing on their bucket.
    resource: 'bucket',
    status: 200,
    ask: async (door, as) => door.ask(`GET /${await door.bucket()}?versions`, { as }),
  },
  {
    operation: 'DeleteObject without versionId',
    action: 'DeleteObject',
    resource: 'object',
    status: 204,
    ask: async (door, as) => {
      const bucket = await door.bucket()
      await door.put(`/${bucket}/a`)
      return door.ask(`DELETE /${bucket}/a`, { as })
    },
  },
  {
    operation: 'DeleteObject with versionId',
    action: 'DeleteObjectVersion',
    resource: 'object',
    status: 204,
    ask: async (door, as) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const { versionId } = await door.put(`/${bucket}/a`)
      return door.ask(`DELETE /${bucket}/a?versionId=${versionId}`, { as })
    },
  },
  {
    operation: 'CompleteMultipartUpload',
    action: 'PutObject',
    resource: 'object',
    status: 200,
    ask: async (door, as) => (await door.upload(`/${await door.bucket()}/a`, { 1: 'a' })).complete(undefined, { as }),
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
      async (door) => {
        const bucket = await door.bucket()
        const answer = await signedByDate(door, `/${bucket}`, 'location=')
        expect([answer.status, answer.xml().text]).toEqual([200, 'eu'])
      },
    ],
    [
      'creating a bucket requires an access key identifier to authenticate the request',
      async (door) => {
        const bucket = door.name()
        expect(refusal(await door.ask(`PUT /${bucket}`, { as: 'nobody' }))).toEqual([403, 'AccessDenied'])
        expect((await door.ask(`GET /${bucket}?location`)).status).toBe(404)
        expectStatus(await door.ask(`PUT /${bucket}`, { as: 'ann' }), 200)
      },
    ],
    [
      'anonymous requests are never allowed to create buckets, whatever they say of themselves',
      async (door) => {
        const bucket = door.name()
        for (const [name, value] of [
          ['x-amz-acl', 'public-read-write'],
          ['x-amz-security-token', 'x'],
          ['authorization', ''],
          ['date', new Date().toUTCString()],
        ] as const) {
          const answer = await door.ask(`PUT /${bucket}`, { as: 'nobody', headers: { [name]: value } })
          expect(answer.status).toBe(403)
        }
        expect((await door.ask(`GET /${bucket}?location`)).status).toBe(404)
      },
    ],
    ...permissions.flatMap(({ operation, action, resource, status, ask }): Sentence[] => [
      [
        `${operation} is done for who has ${action} and nothing else`,
        async (door) => {
          expectStatus(await ask(door, `may-${action}`), status)
        },
      ],
      [
        `${operation}: the resource of ${action} is the ${resource}`,
        async (door) => {
          expectStatus(await ask(door, `may-${action}-on-${resource}`), status)
        },
      ],
      [
        `${operation} is refused to who has every permission but ${action}`,
        async (door) => {
          expect(refusal(await ask(door, `all-but-${action}`))).toEqual([403, 'AccessDenied'])
        },
      ],
      [
        `${operation} is refused to who has none, and to nobody`,
        async (door) => {
          expect(refusal(await ask(door, 'nothing'))).toEqual([403, 'AccessDenied'])
          expect(refusal(await ask(door, 'nobody'))).toEqual([403, 'AccessDenied'])
        },
      ],
    ]),
    [
      'DeleteObject does not grant DeleteObjectVersion',
      async (door) => {
        const bucket = await door.bucket({ versioning: 'Enabled' })
        const { versionId } = await door.put(`/${bucket}/a`)
        const named = await door.ask(`DELETE /${bucket}/a?versionId=${versionId}`, { as: 'may-DeleteObject' })
        expect(refusal(named)).toEqual([403, 'AccessDenied'])
        expect((await door.list(bucket)).all('Version')).toHaveLength(1)
        expectStatus(await door.ask(`DELETE /${bucket}/a`, { as: 'may-DeleteObject' }), 204)
      },
    ],
    [
      'DeleteObjectVersion does not grant DeleteObject',
      async (door) => {
        const bucket = await door.bucket({ versioning: 'Enabled' })
        const { versionId } = await door.put(`/${bucket}/a`)
        const current = await door.ask(`DELETE /${bucket}/a`, { as: 'may-DeleteObjectVersion' })
        expect(refusal(current)).toEqual([403, 'AccessDenied'])
        expect((await door.list(bucket)).all('DeleteMarker')).toHaveLength(0)
        const named = await door.ask(`DELETE /${bucket}/a?versionId=${versionId}`, { as: 'may-DeleteObjectVersion' })
        expectStatus(named, 204)
      },
    ],
    [
      'what was refused was not done',
      async (door) => {
        const bucket = await door.bucket()
        await door.put(`/${bucket}/a`)
        const body = completionBody([{ PartNumber: 1, ETag: 'x' }])
        for (const [line, asked] of [
          [`DELETE /${bucket}`, {}],
          [`DELETE /${bucket}/a`, {}],
          [`DELETE /${bucket}/a?versionId=null`, {}],
          [`PUT /${bucket}/a`, { body: 'other' }],
          [`PUT /${bucket}?versioning`, { body: versioningBody('Enabled') }],
          [`POST /${bucket}/a?uploadId=x`, { body }],
        ] as const) {
          expect(refusal(await door.ask(line, { ...asked, as: 'nothing' })), line).toEqual([403, 'AccessDenied'])
          expect(refusal(await door.ask(line, { ...asked, as: 'nobody' })), line).toEqual([403, 'AccessDenied'])
        }
        expect((await door.ask(`GET /${bucket}/a`)).text).toBe(`/${bucket}/a`)
        expect((await door.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBeUndefined()
      },
    ],
    [
      'users without a policy may do everything in what they created, and nothing in what others did',
      async (door) => {
        const bucket = await door.bucket({ as: 'ann' })
        expectStatus(await door.ask(`PUT /${bucket}/a`, { as: 'ann', body: 'a' }), 200)
        for (const line of [
          `GET /${bucket}?versions`,
          `DELETE /${bucket}/a`,
          `GET /${bucket}/a`,
          `DELETE /${bucket}`,
        ]) {
          expect(refusal(await door.ask(line, { as: 'bob' })), line).toEqual([403, 'AccessDenied'])
        }
        expectStatus(await door.ask(`DELETE /${bucket}/a`, { as: 'ann' }), 204)
      },
    ],
  ],
  { policies },
)

/** A GET signed with nothing but a Date header for its time, by a signer of our own. */
async function signedByDate({ server }: Door, path: string, query: string): Promise<Answer> {
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
