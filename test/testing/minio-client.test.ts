/** The client of MinIO for JavaScript against a server for tests: with a port, and without one. */
import { Client } from 'minio'
import { startS3, type TestS3 } from 'varve/testing'
import { afterEach, describe, expect, it } from 'vitest'

let s3: TestS3

afterEach(() => s3.stop())

describe('the client of MinIO', () => {
  it.each([true, false])('stores and lists objects (listen: %s)', async (listen) => {
    s3 = await startS3({ listen, buckets: ['photos'], credentials: minioadmin })
    const { hostname } = new URL(s3.url)
    const client = new Client({
      endPoint: hostname,
      useSSL: false,
      ...(s3.port === undefined ? { transportAgent: s3.requestHandler.httpAgent } : { port: s3.port }),
      accessKey: minioadmin.accessKeyId,
      secretKey: minioadmin.secretAccessKey,
    })
    await client.putObject('photos', 'cat.txt', 'a small cat')
    await client.makeBucket('films', 'eu-central-1')
    const names = []
    for await (const { name } of client.listObjectsV2('photos')) names.push(name as string)
    expect(names).toEqual(['cat.txt'])
    expect((await s3.store.buckets.head('films')).region).toBe('eu-central-1')
  })
})

const minioadmin = { accessKeyId: 'minioadmin', secretAccessKey: 'minioadmin' }
