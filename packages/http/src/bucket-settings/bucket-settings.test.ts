import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText } from '../contract/answer-text.fixture.ts'
import { getBucketLocation } from '../buckets/get-bucket-location.ts'
import { getBucketVersioning } from '../buckets/get-bucket-versioning.ts'
import { putBucketVersioning } from '../buckets/put-bucket-versioning.ts'

describe('GetBucketLocation', () => {
  it.each([
    ['neutral', 'eu', 'eu'],
    ['neutral', 'us-east-1', 'us-east-1'],
    ['aws', 'EU', 'EU'],
    ['aws', 'us-east-1', ''],
  ] as const)('shows in dialect %s the region %s as %j', async (dialect, region, shown) => {
    const store = { buckets: { getLocation: async () => region } }
    const answer = await getBucketLocation(objectContext({ store, dialect: dialects[dialect] }))
    expect(answerText(answer)).toBe(`<LocationConstraint>${shown}</LocationConstraint>`)
  })
})

describe('GetBucketVersioning', () => {
  it.each([
    [undefined, ''],
    ['Enabled', '<Status>Enabled</Status>'],
    ['Suspended', '<Status>Suspended</Status>'],
  ])('shows the status %s as %j', async (status, shown) => {
    const store = { buckets: { getVersioning: async () => status } }
    const answer = await getBucketVersioning(objectContext({ store }))
    expect(answerText(answer)).toBe(`<VersioningConfiguration>${shown}</VersioningConfiguration>`)
  })
})

describe('PutBucketVersioning', () => {
  async function put(text: string) {
    const set: unknown[] = []
    const setVersioning = async (_bucket: string, status: string) => void set.push(status)
    const body = { ...objectContext().body, small: async () => Buffer.from(text) }
    const answer = await putBucketVersioning(objectContext({ body, store: { buckets: { setVersioning } } }))
    return { answer, set }
  }
  const configuration = (inner: string) => `<VersioningConfiguration>${inner}</VersioningConfiguration>`

  it.each(['Enabled', 'Suspended'])('sets %s', async (status) => {
    const { answer, set } = await put(configuration(`<Status>${status}</Status>`))
    expect(answer).toEqual({ status: 200, headers: {} })
    expect(set).toEqual([status])
  })

  it.each([
    ['', 'MissingRequestBodyError'],
    [configuration(''), 'IllegalVersioningConfigurationException'],
    [configuration('<Status>enabled</Status>'), 'MalformedXML'],
    [configuration('<Status>Disabled</Status>'), 'MalformedXML'],
    [configuration('<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>'), 'NotImplemented'],
  ])('refuses %j', async (text, code) => {
    await expect(put(text)).rejects.toMatchObject({ code })
  })
})
