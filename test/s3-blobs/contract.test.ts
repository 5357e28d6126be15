/** What `openS3Blobs` opens, and with it `s3Blobs`, keeps the promises of every blob store. */
import { blobStoreContract } from '@varve/core/contracts'
import type { TestS3 } from 'varve/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openFresh, otherServer, type Server, serverOf, startServer } from './support/bucket.ts'

const mebibyte = 1024 * 1024

/** The other cases have no blob that is longer than a part. */
const long = blobStoreContract.filter(({ name }) => /whatever its size|requests a chunk|exactly the bytes/.test(name))
const small = { partBytes: 5 * mebibyte, bufferBytes: mebibyte, hedgeMs: 1 }

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

// Variables of the environment name it.
describe.skipIf(other === undefined)('blobs in a bucket of the server of the environment', () => {
  proves(() => other as Server)
})
