import { blobStoreContract } from '@varve/core/contracts'
import type { TestS3 } from 'varve/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openFresh, otherServer, serverOf, startServer } from './support/bucket.ts'

const mebibyte = 1024 * 1024

describe('blobs in a bucket', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startServer()
  })
  afterAll(() => s3.stop())
  for (const { name, run } of blobStoreContract) it(name, () => run(() => openFresh(serverOf(s3))))

  // The other cases have no blob that is longer than a part.
  const small = { partBytes: 5 * mebibyte, bufferBytes: mebibyte, hedgeMs: 1 }
  const long = blobStoreContract.filter(({ name }) => /whatever its size|requests a chunk|exactly the bytes/.test(name))
  for (const { name, run } of long) {
    it(`${name}, with short parts and second requests`, () => run(() => openFresh(serverOf(s3), small)))
  }
})

const other = otherServer()

describe.skipIf(other === undefined)('blobs in a bucket of the server of the environment', () => {
  if (other === undefined) return
  for (const { name, run } of blobStoreContract) it(name, () => run(() => openFresh(other)))
})
