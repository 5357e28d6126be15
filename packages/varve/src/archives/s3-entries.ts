/** The objects of a server of S3, or all their versions, the oldest of a key first. */
import { createHash } from 'node:crypto'
import type { ListedSource, S3Source, SourceObject } from '@varve/adapters/s3'
import { isStorageClass, StorageError } from '@varve/core'
import type { ImportedEntry, ImportedFacts } from './import-entry.ts'
import { inOrder } from './in-order.ts'
import { oldestFirst } from './oldest-first.ts'

export interface S3Reading {
  readonly source: S3Source
  readonly prefix: string
  readonly withHistory: boolean
  readonly signal?: AbortSignal | undefined
}

/** What is requested from the server in advance. */
const atOnce = 16
/** Contents up to this size are fetched with their metadata, several at once. */
const heldMax = 128 * 1024

export const s3Entries = (reading: S3Reading): AsyncGenerator<ImportedEntry> =>
  inOrder(listed(reading), atOnce, (each) => load(reading, each))

/** The sizes of what is there now. */
export async function* s3Sizes(reading: S3Reading): AsyncGenerator<number> {
  for await (const each of listed(reading)) yield each.kind === 'marker' ? 0 : each.size
}

const listed = (reading: S3Reading): AsyncGenerator<ListedSource> =>
  reading.withHistory ? versionsOf(reading) : objectsOf(reading)

async function* objectsOf({ source, prefix, signal }: S3Reading): AsyncGenerator<ListedSource> {
  let after: string | undefined
  for (let isTruncated = true; isTruncated; ) {
    const page = await source.objectsPage(prefix, after, signal === undefined ? {} : { signal })
    yield* page.entries
    ;({ isTruncated } = page)
    after = page.entries.at(-1)?.key ?? after
  }
}

const versionsOf = ({ source, prefix, signal }: S3Reading): AsyncGenerator<ListedSource> =>
  oldestFirst((after) => source.versionsPage(prefix, after, signal === undefined ? {} : { signal }))

async function load({ source, signal }: S3Reading, listed: ListedSource): Promise<ImportedEntry> {
  const { key, kind } = listed
  if (kind === 'marker') return { kind, key }
  const sending = signal === undefined ? {} : { signal }
  const [object, held] =
    listed.size <= heldMax ? await source.get(listed, sending) : [await source.head(listed, sending)]
  const tags = object.tagCount > 0 ? await source.tags(listed, sending) : []
  const { size, md5 } = object
  const bytes = () => (held === undefined ? source.read(object, sending) : inOneChunk(held))
  const facts = { ...factsOf(object), ...(tags.length > 0 && { tags }) }
  return { kind: 'object', key, size, md5, facts, isLasting: true, read: () => checkedBytes(object, bytes()) }
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function factsOf(object: SourceObject): ImportedFacts {
  const { key: _key, versionId: _id, size: _size, etag: _etag, md5: _md5, tagCount: _count, ...described } = object
  const { storageClass = '', ...headers } = described
  // A class of another server means nothing here, and the usual one is not stated.
  const isStated = storageClass !== 'STANDARD' && isStorageClass(storageClass)
  return { ...headers, ...(isStated && { storageClass }) }
}

/** @throws StorageError `SourceFailed` if the bytes are not those of the ETag */
async function* checkedBytes({ key, md5 }: SourceObject, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('md5')
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
  if (md5 === undefined || hash.digest('hex') === md5) return
  throw new StorageError('SourceFailed', `The bytes of ${JSON.stringify(key)} are not those of its ETag.`, {
    details: { kind: 'BadDigest', key },
  })
}
