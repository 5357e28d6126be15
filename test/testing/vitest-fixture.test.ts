/** `s3Fixture` in the runner that it is for. */
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Fixture, type TestS3 } from 'varve/testing'
import { describe, expect, test as base } from 'vitest'

const prepared: TestS3[] = []

const test = base.extend<{ s3: TestS3 }>({
  s3: s3Fixture({ buckets: ['photos'], listen: false }, async (s3) => {
    prepared.push(s3)
    await s3.store.objects.put('photos', 'cat.txt', 'a small cat')
  }),
})

async function text({ clientConfig }: TestS3, Key: string): Promise<string | undefined> {
  const client = new S3Client(clientConfig)
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'photos', Key }))
  return Body?.transformToString().finally(() => client.destroy())
}

describe.concurrent('tests that run at the same time', () => {
  for (const name of ['one', 'two', 'three']) {
    test(`have a server each, prepared once: ${name}`, async ({ s3 }) => {
      const client = new S3Client(s3.clientConfig)
      expect(await text(s3, 'cat.txt')).toBe('a small cat')
      await client.send(new PutObjectCommand({ Bucket: 'photos', Key: 'cat.txt', Body: name }))
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await text(s3, 'cat.txt')).toBe(name)
      client.destroy()
      expect(prepared).toHaveLength(1)
    })
  }
})

describe('s3Fixture', () => {
  base('refuses wrong options, and passes on what the preparation throws', async () => {
    const refused = expect.objectContaining({ code: 'InvalidArgument' })
    expect(() => s3Fixture({ bucket: 'photos' } as never)).toThrow(refused)
    expect(() => s3Fixture({}, 5 as never)).toThrow(refused)
    const fixture = s3Fixture({}, () => Promise.reject(new Error('no fixtures')))
    await expect(fixture({}, async () => undefined)).rejects.toThrow('no fixtures')
  })

  base('stops the server after the test, also after one that fails', async () => {
    const used: TestS3[] = []
    const fails = s3Fixture()({}, async (s3) => {
      used.push(s3)
      throw new Error('a test that fails')
    })
    await expect(fails).rejects.toThrow('a test that fails')
    expect(used.map(({ store }) => store.state)).toEqual(['closed'])
  })
})
