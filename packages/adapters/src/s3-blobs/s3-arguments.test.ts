import { describe, expect, it } from 'vitest'
import { openS3Blobs } from './open-s3-blobs.ts'
import type { S3BlobsOptions } from './s3-blobs-options.ts'

const key = { accessKeyId: 'a', secretAccessKey: 'b' }

const wrong: Readonly<Record<keyof S3BlobsOptions, readonly unknown[]>> = {
  bucket: ['', 1, {}, null, undefined],
  prefix: [1, {}, null, 'x'.repeat(513), '/', '/a', 'a//b', 'a//', '.', '../a', 'a/./b', 'a/..', 'a\nb', 'ä', 'a\\b'],
  region: ['', 1, null],
  endpoint: ['', 1, new URL('http://host'), null],
  forcePathStyle: ['yes', 1, null],
  credentials: [
    'key',
    1,
    null,
    {},
    { ...key, secretAccessKey: 1 },
    { ...key, expiration: 'soon' },
    { ...key, more: 1 },
  ],
  create: ['no', 0, null],
  store: ['', 1, null],
  partBytes: [0, 1024, 5 * 1024 * 1024 - 1, Number.NaN, '8', null, Number.POSITIVE_INFINITY],
  partsAtOnce: [0, -1, 1.5, '4', null],
  bufferBytes: [0, '1', null],
  readAheadBytes: [-1, 0.5, '1', null],
  connections: [0, Number.NaN, '8', null],
  timeoutMs: [0, Number.POSITIVE_INFINITY, 2 ** 31, '1', null],
  retries: [-1, 0.5, '1', null],
  hedgeMs: [0, -1, '1', null],
  unfinishedMs: [0, 59_999, '1', null],
}

describe('blobs in S3', () => {
  it.each(Object.entries(wrong))('refuse %s of a wrong type before anything is sent', async (name, values) => {
    for (const value of values) {
      const opening = openS3Blobs({ bucket: 'blobs', [name]: value } as S3BlobsOptions)
      const error = await opening.catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'InvalidArgument' })
      expect(String((error as { details: { ArgumentName: string } }).details.ArgumentName)).toContain(`options.${name}`)
    }
  })

  it.each([[null], [undefined], ['bucket'], [[]], [{ bucket: 'blobs', buckets: 4 }]])(
    'refuse %j in place of options',
    async (given) => {
      const opening = openS3Blobs(given as unknown as S3BlobsOptions)
      await expect(opening).rejects.toMatchObject({ code: 'InvalidArgument' })
    },
  )
})
