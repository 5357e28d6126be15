/** Buckets, as @aws-sdk/client-s3 sees them. */
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  paginateListBuckets,
  PutBucketVersioningCommand,
  waitUntilBucketExists,
  waitUntilBucketNotExists,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { inBothDialects, refusal, refused, setVersioning } from './session.ts'

inBothDialects('@aws-sdk/client-s3: buckets', [
  [
    'a bucket is made, found, located, listed and removed',
    async ({ s3, name, region, dialect }) => {
      const Bucket = name()
      const made = await s3.send(new CreateBucketCommand({ Bucket }))
      expect(made.Location).toBe(`/${Bucket}`)
      expect(made.$metadata).toMatchObject({ httpStatusCode: 200, attempts: 1, requestId: expect.stringMatching(/\S/) })

      const head = await s3.send(new HeadBucketCommand({ Bucket }))
      expect(head.BucketRegion).toBe(region)
      const { LocationConstraint } = await s3.send(new GetBucketLocationCommand({ Bucket }))
      // The SDK reads an empty element as ''.
      expect(LocationConstraint || undefined).toBe(dialect === 'aws' ? undefined : 'eu')

      await s3.send(new DeleteBucketCommand({ Bucket }))
      expect(await refusal(s3.send(new HeadBucketCommand({ Bucket })))).toEqual(['NotFound', 404])
      expect(await refusal(s3.send(new DeleteBucketCommand({ Bucket })))).toEqual(['NoSuchBucket', 404])
      await s3.send(new CreateBucketCommand({ Bucket }))
    },
  ],
  [
    'a bucket is in the region of its LocationConstraint',
    async ({ s3, name, dialect, server }) => {
      const Bucket = name()
      const LocationConstraint = dialect === 'aws' ? 'eu-west-1' : 'eu'
      const CreateBucketConfiguration = { LocationConstraint: LocationConstraint as 'eu-west-1' }
      const made = await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
      expect(made.Location).toBe(dialect === 'aws' ? `http://${Bucket}.${server.host}/` : `/${Bucket}`)
      const location = await s3.send(new GetBucketLocationCommand({ Bucket }))
      expect(location.LocationConstraint).toBe(LocationConstraint)
      expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe(LocationConstraint)
    },
  ],
  [
    'a bucket cannot be somewhere that is not',
    async ({ s3, name }) => {
      const CreateBucketConfiguration = { LocationConstraint: 'nowhere' as 'eu-west-1' }
      expect(await refusal(s3.send(new CreateBucketCommand({ Bucket: name(), CreateBucketConfiguration })))).toEqual([
        'InvalidLocationConstraint',
        400,
      ])
    },
  ],
  [
    'making a bucket again harms nothing, and somebody else cannot',
    async ({ s3, bucket, put, get, dialect, client }) => {
      const Bucket = await bucket()
      await put(Bucket, 'kept')
      const again = s3.send(new CreateBucketCommand({ Bucket }))
      if (dialect === 'aws') expect((await again).Location).toBe(`/${Bucket}`)
      else expect(await refusal(again)).toEqual(['BucketAlreadyExists', 409])
      const byAnn = client({ as: 'ann' }).send(new CreateBucketCommand({ Bucket }))
      expect(await refusal(byAnn)).toEqual(['BucketAlreadyExists', 409])
      expect((await get(Bucket, 'kept')).bytes.toString()).toBe('kept')
    },
  ],
  [
    'paginateListBuckets finds every bucket of one’s own once, page by page',
    async ({ client, name }) => {
      const bob = client({ as: 'bob' })
      const mine = Array.from({ length: 5 }, () => `paged-${name()}`).sort()
      const before = Date.now()
      for (const Bucket of mine) await bob.send(new CreateBucketCommand({ Bucket }))
      await client({ as: 'ann' }).send(new CreateBucketCommand({ Bucket: `paged-${name()}` }))
      const found = []
      const sizes = []
      for await (const page of paginateListBuckets({ client: bob, pageSize: 2 }, { Prefix: 'paged-' })) {
        found.push(...(page.Buckets ?? []))
        sizes.push(page.Buckets?.length)
        expect(page.Prefix).toBe('paged-')
        expect(page.Owner?.ID).toMatch(/\S/)
      }
      expect(found.map(({ Name }) => Name)).toEqual(mine)
      expect(sizes).toEqual([2, 2, 1])
      for (const { CreationDate } of found) {
        expect(Math.abs((CreationDate?.getTime() ?? 0) - before)).toBeLessThan(60_000)
      }
    },
  ],
  [
    'versioning is unset, then what was last set',
    async ({ s3, bucket }) => {
      const Bucket = await bucket()
      const status = async () => (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status
      expect(await status()).toBeUndefined()
      for (const wanted of ['Enabled', 'Suspended', 'Suspended', 'Enabled'] as const) {
        await setVersioning(s3, Bucket, wanted)
        expect(await status()).toBe(wanted)
      }
      const set = (Status: string | undefined) =>
        s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: Status as 'Enabled' } }))
      expect(await refusal(set('enabled'))).toEqual(['MalformedXML', 400])
      expect(await refusal(set(undefined))).toEqual(['IllegalVersioningConfigurationException', 400])
      expect(await status()).toBe('Enabled')
    },
  ],
  [
    'a bucket goes only when its objects, versions and delete markers are gone',
    async ({ s3, bucket, put }) => {
      const Bucket = await bucket('Enabled')
      const remove = () => s3.send(new DeleteBucketCommand({ Bucket }))
      const { VersionId } = await put(Bucket, 'a')
      expect(await refusal(remove())).toEqual(['BucketNotEmpty', 409])
      const marker = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }))
      expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0)
      expect(await refusal(remove())).toEqual(['BucketNotEmpty', 409])
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a', VersionId }))
      expect(await refusal(remove())).toEqual(['BucketNotEmpty', 409])
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a', VersionId: marker.VersionId }))
      expect((await remove()).$metadata.httpStatusCode).toBe(204)
    },
  ],
  [
    'waiters see buckets come and go',
    async ({ s3, bucket }) => {
      const Bucket = await bucket()
      const waiting = { client: s3, maxWaitTime: 10, minDelay: 1, maxDelay: 1 }
      expect((await waitUntilBucketExists(waiting, { Bucket })).state).toBe('SUCCESS')
      await s3.send(new DeleteBucketCommand({ Bucket }))
      expect((await waitUntilBucketNotExists(waiting, { Bucket })).state).toBe('SUCCESS')
    },
  ],
  [
    'names that are none are refused',
    async ({ s3 }) => {
      for (const Bucket of ['ab', 'Upper', 'a_b', '-ab', 'a..b', '192.168.1.1', 'x'.repeat(64)]) {
        expect(await refusal(s3.send(new CreateBucketCommand({ Bucket }))), Bucket).toEqual(['InvalidBucketName', 400])
      }
    },
  ],
  [
    'a client without permission, with an unknown key or a wrong signature is refused as such',
    async ({ bucket, server, client, name }) => {
      const Bucket = await bucket()
      const list = new ListObjectsV2Command({ Bucket })
      const ann = server.credentials('ann')
      const asWhom = (accessKeyId: string, secretAccessKey: string) =>
        client({ config: { credentials: { accessKeyId, secretAccessKey } } })
      expect(await refusal(client({ as: 'ann' }).send(list))).toEqual(['AccessDenied', 403])
      expect(await refusal(asWhom('AK-none', 'none').send(list))).toEqual(['InvalidAccessKeyId', 403])
      expect(await refusal(asWhom(ann.accessKeyId, 'guessed').send(list))).toEqual(['SignatureDoesNotMatch', 403])
      const elsewhere = client({ config: { region: 'ap-south-1' } }).send(new HeadBucketCommand({ Bucket: name() }))
      expect((await refused(elsewhere)).$metadata.httpStatusCode).toBe(400)
    },
  ],
])

inBothDialects(
  '@aws-sdk/client-s3: a server somewhere else',
  [
    [
      'buckets are in its region, and one’s own bucket is known',
      async ({ s3, name, dialect, client }) => {
        const Bucket = name()
        const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' } as const
        const create = () => s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
        await create()
        expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBe('eu-west-1')
        expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe('eu-west-1')
        const own = dialect === 'aws' ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists'
        expect(await refusal(create())).toEqual([own, 409])
        // Many clients sign for us-east-1 wherever they are.
        const unmoved = client({ config: { region: 'us-east-1' } })
        expect((await unmoved.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe('eu-west-1')
      },
    ],
  ],
  { serve: { region: 'eu-west-1' } },
)
