/** What a reader sees in a store, as JSON: for the comparison of a store with what it was when it was written. */
import { createHash } from 'node:crypto'
import { isStorageError, type ObjectContent, type PastStore, type RecordedEvent, type Store } from '@varve/core'
import { customerKey } from './directory-session.ts'

/** The position of the last event that the session wrote. Openings may add events after it. */
export interface StoreFacts {
  readonly end: number
  readonly [part: string]: unknown
}

export async function storeFacts(store: Store, end = store.seq): Promise<StoreFacts> {
  const buckets: unknown[] = []
  // The releases that wrote the directories did not show the position of a bucket's creation.
  for await (const { seq: _later, ...bucket } of store.buckets.list()) {
    const settings = await store.buckets.settings.all(bucket.name)
    buckets.push({ bucket, settings, uploads: await uploadsOf(store, bucket.name) })
  }
  const past = await Promise.all(pastPositions(end).map((seq) => store.at(seq)))
  const facts = {
    end,
    keys: await store.keys.list(),
    buckets,
    versions: await versionsOf(store),
    past: await Promise.all(past.map(async (each) => ({ seq: each.seq, versions: await versionsOf(each) }))),
    log: await logOf(store, end),
  }
  return JSON.parse(JSON.stringify(facts)) as StoreFacts
}

/** Near the beginning, where bytes were erased; among removed versions; and among encrypted ones. */
const pastPositions = (end: number): readonly number[] => [4, Math.floor((end * 2) / 3), Math.floor((end * 7) / 8)]

async function uploadsOf(store: Store, bucket: string): Promise<unknown> {
  const uploads: unknown[] = []
  for (const upload of (await store.uploads.listPage(bucket)).entries) {
    if (upload.kind !== 'upload') continue
    const { entries } = await store.uploads.listPartsPage(upload)
    uploads.push({ upload, entries })
  }
  return uploads
}

async function versionsOf(store: Store | PastStore): Promise<unknown> {
  const versions: unknown[] = []
  for await (const { name } of store.buckets.list()) {
    for (const version of (await store.versions.listPage(name)).entries) {
      const { versionId, key } = version as { readonly versionId: string; readonly key: string }
      const content = version.kind === 'version' ? await contentOf(store, name, key, versionId) : undefined
      versions.push({ bucket: name, version, content })
    }
  }
  return versions
}

async function contentOf(store: Store | PastStore, bucket: string, key: string, versionId: string): Promise<unknown> {
  const isCustomers = bucket === 'sealed' && key.startsWith('customer')
  const options = isCustomers ? { customerKey } : {}
  const info = await store.versions.head(bucket, key, versionId, options)
  const annotations = await store.objects.annotations(bucket, key, { versionId })
  const sha256 = await read(() => store.versions.get(bucket, key, versionId, options))
  return { info, annotations, sha256 }
}

/** The digest of the bytes, or the code of the error. */
async function read(get: () => Promise<ObjectContent>): Promise<string> {
  try {
    return createHash('sha256')
      .update(await (await get()).bytes())
      .digest('hex')
  } catch (error) {
    if (isStorageError(error)) return error.code
    throw error
  }
}

/** Links, and what is stored of wrapped keys, depend on the format and on chance. */
async function logOf(store: Store, end: number): Promise<readonly unknown[]> {
  const events: unknown[] = []
  for await (const { prev: _, ...event } of store.log()) {
    if (event.seq <= end) events.push(withoutKeys(event as RecordedEvent))
  }
  return events
}

const ofKeys = ['wrapped', 'keyCrc']

const withoutKeys = (event: RecordedEvent): unknown =>
  JSON.parse(JSON.stringify(event, (name, value: unknown) => (ofKeys.includes(name) ? undefined : value)))
