/** Buckets as they were, for clients that know nothing of them: @aws-sdk/client-s3 and `minio`. */
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect } from 'vitest'
import { oddKeys } from './odd-keys.ts'
import { inBothDialects, type Kept, minioRefusal, refusal, type Session } from './session.ts'

async function keysOf(client: S3Client, Bucket: string): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 40 }, { Bucket })) {
    keys.push(...Contents.map(({ Key = '' }) => Key))
  }
  return keys
}

/** A bucket from which all objects were deleted at once, and its name as it was before. */
async function emptied({ s3, bucket, put }: Session, keys: readonly string[]) {
  const Bucket = await bucket('Enabled')
  for (const key of keys) await put(Bucket, key, `of ${key}`)
  const at = `${Bucket}--at-${await positionAfter(s3, Bucket)}`
  const Objects = keys.map((Key) => ({ Key }))
  for (let from = 0; from < Objects.length; from += 1000) {
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Objects.slice(from, from + 1000) } }))
  }
  expect(await keysOf(s3, Bucket)).toEqual([])
  return { Bucket, at }
}

/** Writes `a`. Returns `x-varve-seq` of the answer, which the client shows to its middleware alone. */
async function positionAfter(s3: S3Client, Bucket: string, Body = 'of a'): Promise<string> {
  let seq = ''
  const put = new PutObjectCommand({ Bucket, Key: 'a', Body })
  put.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      seq = (result.response as { readonly headers: Record<string, string> }).headers['x-varve-seq'] ?? ''
      return result
    },
    { step: 'deserialize', priority: 'low' },
  )
  await s3.send(put)
  return seq
}

/** XML cannot represent U+FFFF, so no answer to a deletion names it. */
const keys = ['a', ...oddKeys.filter((key) => key !== 'a' && !key.includes('\u{ffff}'))]

const promises: readonly Kept[] = [
  [
    'the AWS SDK lists and reads what there was, whatever the keys are',
    async (session) => {
      const { s3, get } = session
      const { at } = await emptied(session, keys)
      const then = await keysOf(s3, at)
      expect([...then].sort()).toEqual([...keys].sort())
      for (const key of keys) expect((await get(at, key)).bytes.toString()).toBe(`of ${key}`)
    },
  ],
  [
    'the AWS SDK puts everything back by copies',
    async (session) => {
      const { s3, get } = session
      const { Bucket, at } = await emptied(session, keys)
      for (const key of keys) {
        const CopySource = `${at}/${key.split('/').map(encodeURIComponent).join('/')}`
        await s3.send(new CopyObjectCommand({ Bucket, Key: key, CopySource }))
      }
      expect([...(await keysOf(s3, Bucket))].sort()).toEqual([...keys].sort())
      for (const key of keys) expect((await get(Bucket, key)).bytes.toString()).toBe(`of ${key}`)
    },
  ],
  [
    'the AWS SDK signs URLs of the past, and is refused writes there',
    async (session) => {
      const { s3, put } = session
      const { at } = await emptied(session, ['a'])
      const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: at, Key: 'a' }) as never)
      expect(await (await fetch(url)).text()).toBe('of a')
      expect(await refusal(put(at, 'a', 'x'))).toEqual(['MethodNotAllowed', 405])
      expect(await refusal(s3.send(new HeadObjectCommand({ Bucket: at, Key: 'b' })))).toEqual(['NotFound', 404])
    },
  ],
  [
    'the AWS SDK takes long names',
    async ({ s3, get }) => {
      const Bucket = `long-${'x'.repeat(58)}`
      await s3.send(new CreateBucketCommand({ Bucket }))
      const at = `${Bucket}--at-${await positionAfter(s3, Bucket, 'long')}`
      expect(at.length).toBeGreaterThan(63)
      expect((await get(at, 'a')).bytes.toString()).toBe('long')
    },
  ],
  [
    'minio reads and lists what there was, under names of up to 63 characters',
    async (session) => {
      const { minio } = session
      const { at } = await emptied(session, ['a', 'b/c'])
      const chunks: Buffer[] = []
      for await (const chunk of await minio.getObject(at, 'b/c')) chunks.push(chunk as Buffer)
      expect(Buffer.concat(chunks).toString()).toBe('of b/c')
      const names: unknown[] = []
      for await (const { name } of minio.listObjectsV2(at, '', true) as AsyncIterable<{ readonly name: string }>) {
        names.push(name)
      }
      expect(names).toEqual(['a', 'b/c'])
      expect(await minioRefusal(minio.putObject(at, 'a', 'x'))).toBe('MethodNotAllowed')
    },
  ],
]

inBothDialects('buckets as they were', promises)
