/** The address of blobs that engines on several machines share: a directory that all of them mount, or a bucket. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBlobDirectories, directoryWitness, diskBlobs, setBlobsAside, type WitnessedBlobs } from '@varve/adapters'
import { type BlobStore, isStorageError, type Witness } from '@varve/core'
import { bucketAddress } from '../addresses/bucket-address.ts'
import { invalidAddress } from '../addresses/invalid-address.ts'

/** Blobs, with the witness of the log that names them. */
export interface BlobsThere extends WitnessedBlobs {
  readonly blobs: BlobStore
  /** Resolves if the medium of the blobs answers. */
  ask(): Promise<void>
}

const forms = 'The address of blobs is s3://BUCKET/PREFIX or file:///DIRECTORY.'

/**
 * Opens what the address names, when it is called: `file:///DIRECTORY`, which must exist, or `s3://BUCKET/PREFIX` with the
 * parameters `region`, `endpoint`, `store` (its name), `hedge` (milliseconds), `cache` (a directory for copies) and
 * `cache-bytes` (default: 10 GiB). Credentials are those that the AWS SDK finds.
 * @throws StorageError `InvalidArgument` for another address
 */
export function blobsAt(address: string): () => Promise<BlobsThere> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'file:') return directoryAt(url)
  if (url?.protocol === 's3:') return bucketAt(url)
  throw invalidAddress('blobs', forms)
}

function directoryAt(url: URL): () => Promise<BlobsThere> {
  if (url.host !== '' || url.search !== '' || url.pathname === '/') throw invalidAddress('blobs', forms)
  const directory = decoded(() => fileURLToPath(url))
  return async () => {
    await createBlobDirectories(directory)
    return {
      blobs: await diskBlobs(directory),
      witness: directoryWitness(directory),
      setAside: (ids) => setBlobsAside(directory, ids),
      // A mount that is gone leaves a directory without it.
      ask: async () => void (await stat(join(directory, 'blobs'))),
    }
  }
}

const defaultCacheBytes = 10 * 1024 ** 3

function bucketAt(url: URL): () => Promise<BlobsThere> {
  const { given, options } = bucketAddress(url, 'blobs', ['store', 'hedge', 'cache', 'cache-bytes'])
  const [store, cache] = ['store', 'cache'].map((name) => given.get(name))
  const [hedgeMs, maxBytes] = ['hedge', 'cache-bytes'].map((name) => numberOf(name, given.get(name)))
  if (maxBytes !== undefined && cache === undefined)
    throw invalidAddress('blobs', 'The parameter cache-bytes of the address of blobs needs cache, a directory.')
  return async () => {
    const { cachedBlobs, openS3Blobs } = await import('@varve/adapters/s3')
    const blobs = await openS3Blobs({
      ...options,
      ...(store !== undefined && { store }),
      ...(hedgeMs !== undefined && { hedgeMs }),
    })
    const { witness, setAside } = blobs
    const there = { witness, setAside, ask: () => askBucket(witness) }
    if (cache === undefined) return { blobs, ...there }
    try {
      const near = await cachedBlobs(blobs, { directory: cache, maxBytes: maxBytes ?? defaultCacheBytes })
      return { blobs: near, ...there }
    } catch (error) {
      await blobs.close()
      throw error
    }
  }
}

/** The smallest object that a store has. A damaged one is an answer too. */
async function askBucket(witness: Witness): Promise<void> {
  try {
    await witness.read()
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt')) throw error
  }
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw invalidAddress('blobs', `The parameter ${name} of the address of blobs is a number above 0.`)
  return Number(text)
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw invalidAddress('blobs', forms)
  }
}
