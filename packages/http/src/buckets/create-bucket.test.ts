import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import type { Identity } from '../access/identity.ts'
import { dialects } from '../contract/dialect.ts'
import type { DialectName } from '../contract/dialect.ts'
import { bucketOf } from '../fake-store.fixture.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import type { Answer } from '../contract/answer.ts'
import { createBucket } from './create-bucket.ts'

interface Sketch {
  readonly dialect?: DialectName
  readonly region?: string
  readonly constraint?: string
  readonly existing?: 'BucketAlreadyOwnedByYou' | 'BucketAlreadyExists'
  readonly identity?: Identity
}

async function run({ dialect = 'neutral', region = 'eu', constraint, existing, ...identified }: Sketch) {
  const created: unknown[] = []
  const create = async (bucket: string, options: { region: string }) => {
    if (existing !== undefined) throw new StorageError(existing, 'Taken.', { details: { BucketName: bucket } })
    created.push({ bucket, region: options.region })
    return bucketOf('a')
  }
  const inner = `<LocationConstraint>${constraint}</LocationConstraint>`
  const text = constraint === undefined ? '' : `<CreateBucketConfiguration>${inner}</CreateBucketConfiguration>`
  const context = objectContext({
    ...identified,
    dialect: dialects[dialect],
    options: { ...objectContext().options, region },
    body: { ...objectContext().body, small: async () => Buffer.from(text) },
    store: { buckets: { create } },
    origin: 'http://host:9000',
  })
  return { answer: (await createBucket(context)) as Answer, created }
}

describe('CreateBucket', () => {
  it('answers 200 without a body, and where the bucket is', async () => {
    const { answer, created } = await run({})
    expect(answer).toEqual({ status: 200, headers: { location: '/b', 'x-amz-bucket-arn': 'arn:aws:s3:::b' } })
    expect(created).toEqual([{ bucket: 'b', region: 'eu' }])
  })

  it('names the host when a constraint was sent, in the dialect of AWS only', async () => {
    const aws = await run({ dialect: 'aws', region: 'us-east-1', constraint: 'eu-west-2' })
    expect(aws.answer.headers).toMatchObject({ location: 'http://b.host:9000/' })
    expect(aws.created).toEqual([{ bucket: 'b', region: 'eu-west-2' }])
    const neutral = await run({ constraint: 'eu' })
    expect(neutral.answer.headers).toMatchObject({ location: '/b' })
  })

  it.each([
    ['neutral', 'eu', 'BucketAlreadyExists'],
    ['neutral', 'us-east-1', 'BucketAlreadyExists'],
    ['aws', 'eu-west-1', 'BucketAlreadyOwnedByYou'],
    ['aws', 'us-east-1', 'success'],
  ] as const)('in the %s dialect in %s, answers one’s own bucket again with %s', async (dialect, region, expected) => {
    const constraint = dialect === 'aws' && region !== 'us-east-1' ? { constraint: region } : {}
    const outcome = await run({ dialect, region, existing: 'BucketAlreadyOwnedByYou', ...constraint }).then(
      () => 'success',
      (error: { code: string }) => error.code,
    )
    expect(outcome).toBe(expected)
  })

  it('takes no bucket of another region for a success, wherever the request was sent', async () => {
    const existing = 'BucketAlreadyOwnedByYou'
    const again = run({ dialect: 'aws', region: 'us-east-1', constraint: 'us-west-1', existing })
    await expect(again).rejects.toMatchObject({ code: existing })
  })

  it.each(['neutral', 'aws'] as const)('never takes the bucket of someone else for a success (%s)', async (dialect) => {
    const region = dialects[dialect].defaultRegion
    await expect(run({ dialect, region, existing: 'BucketAlreadyExists' })).rejects.toMatchObject({
      code: 'BucketAlreadyExists',
    })
  })

  it('takes the bucket of someone else for one of its own if root asks, who may use it', async () => {
    const existing = 'BucketAlreadyExists'
    const identity = createIdentity({ name: 'root', accessKeyId: 'root', secretAccessKey: 'of no use', root: true })
    await expect(
      run({ dialect: 'aws', region: 'eu-west-1', constraint: 'eu-west-1', existing, identity }),
    ).rejects.toMatchObject({
      code: 'BucketAlreadyOwnedByYou',
    })
    const { answer } = await run({ dialect: 'aws', region: 'us-east-1', existing, identity })
    expect(answer.status).toBe(200)
  })

  it('refuses a configuration it does not know', async () => {
    const body = {
      ...objectContext().body,
      small: async () => Buffer.from('<CreateBucketConfiguration><X/></CreateBucketConfiguration>'),
    }
    await expect(createBucket(objectContext({ body }))).rejects.toMatchObject({ code: 'MalformedXML' })
  })
})
