/** The chapters on endpoints in general, and on those that act on buckets. */
import { expect } from 'vitest'
import type { Answer } from '../support/call.ts'
import { type TestService, expectStatus, refusal, versioningBody } from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'

const isEmpty = (answer: Answer) => {
  expect(answer.body.length).toBe(0)
  expect(answer.headers['content-type']).toBeUndefined()
}

/** Every operation of the description, with a request that succeeds. */
const successes: readonly (readonly [operation: string, ask: (service: TestService) => Promise<Answer>])[] = [
  ['CreateBucket', (service) => service.ask(`PUT /${service.name()}`)],
  ['DeleteBucket', async (service) => service.ask(`DELETE /${await service.bucket()}`)],
  ['GetBucketLocation', async (service) => service.ask(`GET /${await service.bucket()}?location`)],
  [
    'PutBucketVersioning',
    async (service) => service.ask(`PUT /${await service.bucket()}?versioning`, { body: versioningBody('Enabled') }),
  ],
  ['ListObjectVersions', async (service) => service.ask(`GET /${await service.bucket()}?versions`)],
  ['DeleteObject', async (service) => service.ask(`DELETE /${await service.bucket()}/a`)],
  [
    'CompleteMultipartUpload',
    async (service) => (await service.upload(`/${await service.bucket()}/a`, { 1: 'a' })).complete(),
  ],
]

sentences('4.0 Endpoints', [
  ...successes.map(
    ([operation, ask]): Sentence => [
      `response headers of ${operation} include x-request-id and Date`,
      async (service) => {
        const answer = await ask(service)
        expect(answer.status).toBeLessThan(300)
        expect(answer.headers['x-request-id']).toMatch(/^\S+$/)
        expect(Math.abs(Date.parse(answer.headers['date'] ?? '') - Date.now())).toBeLessThan(60_000)
        expect(answer.headers['date']).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
      },
    ],
  ),
  [
    'response headers of errors include x-request-id and Date as well',
    async (service) => {
      const answers = [
        await service.ask(`GET /${service.name()}?location`),
        await service.ask(`GET /${service.name()}?location`, { as: 'nobody' }),
        await service.ask(`HEAD /${service.name()}`),
      ]
      for (const { headers } of answers) {
        expect(headers['x-request-id']).toMatch(/^\S+$/)
        expect(Date.parse(headers['date'] ?? '')).not.toBeNaN()
      }
    },
  ],
  [
    'every request has an x-request-id of its own',
    async (service) => {
      const bucket = await service.bucket()
      const answers = await Promise.all(Array.from({ length: 20 }, () => service.ask(`GET /${bucket}?location`)))
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(20)
    },
  ],
  [
    'the neutral names x-svc-… stand for a vendor part: both spellings are sent, with equal values',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { headers } = await service.ask(`DELETE /${bucket}/a`)
      const vendor = Object.entries(headers).filter(([name]) => /^x-(svc|amz)-/.test(name))
      expect(vendor.length).toBeGreaterThanOrEqual(6)
      for (const [name, value] of vendor) {
        const twin = name.startsWith('x-svc-') ? name.replace('x-svc-', 'x-amz-') : name.replace('x-amz-', 'x-svc-')
        expect(headers[twin], twin).toBe(value)
      }
    },
  ],
  [
    'requests may use either spelling of a vendor header',
    async (service) => {
      const bucket = await service.bucket()
      for (const vendor of ['svc', 'amz']) {
        const headers = { [`x-${vendor}-meta-colour`]: vendor }
        expectStatus(await service.ask(`PUT /${bucket}/a`, { headers }), 200)
        const answer = await service.ask(`HEAD /${bucket}/a`)
        expect(answer.headers['x-svc-meta-colour']).toBe(vendor)
        expect(answer.headers['x-amz-meta-colour']).toBe(vendor)
      }
    },
  ],
  [
    'the root element of XML answers carries one fixed default namespace',
    async (service) => {
      const bucket = await service.bucket()
      const roots = [
        (await service.ask(`GET /${bucket}?location`)).xml(),
        (await service.ask(`GET /${bucket}?versioning`)).xml(),
        await service.list(bucket),
        (await (await service.upload(`/${bucket}/a`, { 1: 'a' })).complete()).xml(),
      ]
      const namespaces = new Set(roots.map(({ namespace }) => namespace))
      expect(namespaces.size).toBe(1)
      expect([...namespaces][0]).toMatch(/\S/)
    },
  ],
])

sentences('4.1 CreateBucket', [
  [
    'success: 200, empty body, Location = a slash and the bucket name',
    async (service) => {
      const bucket = service.name()
      const answer = expectStatus(await service.ask(`PUT /${bucket}`), 200)
      isEmpty(answer)
      expect(answer.headers['location']).toBe(`/${bucket}`)
      expectStatus(await service.ask(`GET /${bucket}?location`), 200)
    },
  ],
  [
    'error: BucketAlreadyExists, 409, when the name is taken by another user',
    async (service) => {
      const bucket = await service.bucket({ as: 'ann' })
      expect(refusal(await service.ask(`PUT /${bucket}`, { as: 'bob' }))).toEqual([409, 'BucketAlreadyExists'])
    },
  ],
  [
    'error: BucketAlreadyExists, 409, when the name is taken by oneself',
    async (service) => {
      const bucket = await service.bucket({ as: 'ann' })
      expect(refusal(await service.ask(`PUT /${bucket}`, { as: 'ann' }))).toEqual([409, 'BucketAlreadyExists'])
    },
  ],
  [
    'of many requests that create one name at once, one succeeds',
    async (service) => {
      const bucket = service.name()
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => service.ask(`PUT /${bucket}`, { as: i % 2 === 0 ? 'ann' : 'bob' })),
      )
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(11).fill(409)])
    },
  ],
])

sentences('4.2 DeleteBucket', [
  [
    'success: 204, empty body',
    async (service) => {
      const bucket = await service.bucket()
      isEmpty(expectStatus(await service.ask(`DELETE /${bucket}`), 204))
      expect(refusal(await service.ask(`GET /${bucket}?location`))).toEqual([404, 'NoSuchBucket'])
    },
  ],
  [
    'the name is free again afterwards, for anyone',
    async (service) => {
      const bucket = await service.bucket({ as: 'ann', versioning: 'Enabled' })
      expectStatus(await service.ask(`DELETE /${bucket}`), 204)
      expectStatus(await service.ask(`PUT /${bucket}`, { as: 'bob' }), 200)
      expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBeUndefined()
    },
  ],
  [
    'all objects in the bucket must be deleted first',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      expect(refusal(await service.ask(`DELETE /${bucket}`))).toEqual([409, 'BucketNotEmpty'])
      expect((await service.ask(`GET /${bucket}/a`)).status).toBe(200)
      await service.ask(`DELETE /${bucket}/a`)
      expectStatus(await service.ask(`DELETE /${bucket}`), 204)
    },
  ],
  [
    'versions and delete markers count as objects',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`)
      const marker = (await service.ask(`DELETE /${bucket}/a`)).headers['x-svc-version-id']
      expect(refusal(await service.ask(`DELETE /${bucket}`))).toEqual([409, 'BucketNotEmpty'])
      await service.ask(`DELETE /${bucket}/a?versionId=${versionId}`)
      expect(refusal(await service.ask(`DELETE /${bucket}`))).toEqual([409, 'BucketNotEmpty'])
      await service.ask(`DELETE /${bucket}/a?versionId=${marker}`)
      expectStatus(await service.ask(`DELETE /${bucket}`), 204)
    },
  ],
  [
    'a bucket that does not exist cannot be deleted',
    async (service) => {
      expect(refusal(await service.ask(`DELETE /${service.name()}`))).toEqual([404, 'NoSuchBucket'])
    },
  ],
])

sentences('4.3 GetBucketLocation', [
  [
    'success: 200, XML with the root LocationConstraint holding the region as text: eu',
    async (service) => {
      const bucket = await service.bucket()
      const answer = expectStatus(await service.ask(`GET /${bucket}?location`), 200)
      expect(answer.headers['content-type']).toMatch(/^application\/xml\b/)
      const root = answer.xml()
      expect([root.name, root.text, root.children]).toEqual(['LocationConstraint', 'eu', []])
    },
  ],
  [
    'the query parameter may be written location or location=',
    async (service) => {
      const bucket = await service.bucket()
      expect((await service.ask(`GET /${bucket}?location=`)).xml().text).toBe('eu')
    },
  ],
])

const versioning = (body: string) => `<VersioningConfiguration>${body}</VersioningConfiguration>`

sentences('4.4 PutBucketVersioning', [
  ...['Enabled', 'Suspended'].flatMap((status): Sentence[] => [
    [
      `Status ${status}, sent as application/xml: 200, empty body`,
      async (service) => {
        const bucket = await service.bucket()
        const headers = { 'content-type': 'application/xml' }
        const body = versioningBody(status)
        isEmpty(expectStatus(await service.ask(`PUT /${bucket}?versioning`, { headers, body }), 200))
        expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBe(status)
      },
    ],
    [
      `Status ${status} in a document with a declaration, a namespace and white space is the same`,
      async (service) => {
        const bucket = await service.bucket()
        const body =
          '<?xml version="1.0" encoding="UTF-8"?>\n' +
          `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\n  <Status>${status}</Status>\n` +
          '</VersioningConfiguration>\n'
        expectStatus(await service.ask(`PUT /${bucket}?versioning`, { body }), 200)
        expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBe(status)
      },
    ],
  ]),
  ...[
    ['another root element', '<Versioning><Status>Enabled</Status></Versioning>'],
    ['no root element', 'Enabled'],
    ['a Status that is neither word', versioning('<Status>Disabled</Status>')],
    ['a Status in other letters', versioning('<Status>enabled</Status>')],
    ['two Status elements', versioning('<Status>Enabled</Status><Status>Suspended</Status>')],
    ['XML that is not well formed', versioning('<Status>Enabled')],
  ].map(
    ([what = '', body = '']): Sentence => [
      `${what} is refused and changes nothing`,
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Suspended' })
        expect(refusal(await service.ask(`PUT /${bucket}?versioning`, { body }))).toEqual([400, 'MalformedXML'])
        expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBe('Suspended')
      },
    ],
  ),
  [
    'a body is required',
    async (service) => {
      const bucket = await service.bucket()
      expect((await service.ask(`PUT /${bucket}?versioning`)).status).toBe(400)
      expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBeUndefined()
    },
  ],
  [
    'Status is not required, but without one there is no state to go to: whatever was, stays',
    async (service) => {
      for (const state of ['Enabled', 'Suspended'] as const) {
        const bucket = await service.bucket({ versioning: state })
        const answer = await service.ask(`PUT /${bucket}?versioning`, { body: versioning('') })
        expect(refusal(answer)).toEqual([400, 'IllegalVersioningConfigurationException'])
        expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBe(state)
      }
    },
  ],
])
