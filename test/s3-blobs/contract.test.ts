import { openS3Blobs, type S3BlobsOptions } from '@varve/adapters/s3'
import { blobStoreContract } from '@varve/core/contracts'
import type { TestS3 } from 'varve/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { freshPrefix, otherServer, type Server, serverOf, startServer } from './support/bucket.ts'

const mebibyte = 1024 * 1024

/** The other cases have no blob that is longer than a part. */
const long = blobStoreContract.filter(({ name }) => /whatever its size|requests a chunk|exactly the bytes/.test(name))
const small = { partBytes: 5 * mebibyte, bufferBytes: mebibyte, hedgeMs: 1 }

async function openFresh(server: Server, options: Partial<S3BlobsOptions> = {}) {
  const all = { ...server, prefix: freshPrefix(), ...options }
  return { instance: await openS3Blobs(all), reopen: () => openS3Blobs(all) }
}

function proves(server: () => Server): void {
  for (const { name, run } of blobStoreContract) it(name, () => run(() => openFresh(server())))
  for (const { name, run } of long) {
    it(`${name}, with short parts and second requests`, () => run(() => openFresh(server(), small)))
  }
}

describe('blobs in a bucket', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startServer()
  })
  afterAll(() => s3.stop())
  proves(() => serverOf(s3))
})

const other = otherServer()

// It needs the address of a server.
describe.skipIf(other === undefined)('blobs in a bucket of the server of the environment', () => {
  proves(() => other as Server)
})
