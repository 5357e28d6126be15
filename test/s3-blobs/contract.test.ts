import { openS3Blobs, openS3Replica, type S3BlobsOptions } from '@varve/adapters/s3'
import { blobStoreContract, type OpenReplicaFiles, replicaFilesContract } from '@varve/core/contracts'
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

/** Those of `s3ReplicaFiles`. */
async function openFiles(options: S3BlobsOptions): Promise<OpenReplicaFiles> {
  const { files, blobs } = await openS3Replica(options)
  return {
    create: (name, source) => files.create(name, source),
    read: (name, range) => files.read(name, range),
    list: (prefix) => files.list(prefix),
    delete: (names) => files.delete(names),
    close: () => blobs.close(),
  }
}

async function openFreshFiles(server: Server) {
  const all = { ...server, prefix: freshPrefix() }
  return { instance: await openFiles(all), reopen: () => openFiles(all) }
}

function proves(server: () => Server): void {
  for (const { name, run } of blobStoreContract) it(name, () => run(() => openFresh(server())))
  for (const { name, run } of replicaFilesContract)
    it(`as files of a replica: ${name}`, () => run(() => openFreshFiles(server())))
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
