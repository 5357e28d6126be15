/** Everything a store shows, compared with the model. */
import { isDeepStrictEqual } from 'node:util'
import { isStorageError, type PastStore, type Store } from '@varve/core'
import {
  answering,
  findObject,
  listBuckets,
  listObjects,
  listParts,
  listUploads,
  listVersions,
  type ModelState,
  type ModelVersion,
  refOf,
  sizeOf,
} from '@varve/core/model'
import { type Bindings, storedEtag } from './bindings.ts'

export interface CompareOptions {
  /** Compare the bytes too. Default `true`; of the past, they may have been erased. */
  readonly bytes?: boolean
}

/** A line for each difference. None means that no client could distinguish the store from the model. */
export async function differences(
  store: Store | PastStore,
  state: ModelState,
  bindings: Bindings,
  { bytes = true }: CompareOptions = {},
): Promise<readonly string[]> {
  const lines: string[] = []
  const same: Same = async (what, requested, expected) => {
    const actual = await requested.catch(codeOf)
    if (!isDeepStrictEqual(actual, expected)) lines.push(`${what}: ${show(actual)}, not ${show(expected)}`)
  }
  const names = all(store.buckets.list()).then((buckets) => buckets.map(({ name }) => name))
  await same('buckets', names, listBuckets(state))
  for (const bucket of state.buckets.keys()) {
    const comparison = { store, state, bindings, bucket, same }
    await compareListings(comparison)
    await compareTags(comparison)
    if ('uploads' in store) await compareUploads(comparison, store)
    if (bytes) await compareBytes(comparison)
  }
  return lines
}

type Same = (what: string, requested: Promise<unknown>, expected: unknown) => Promise<void>

interface Comparison {
  readonly store: Store | PastStore
  readonly state: ModelState
  readonly bindings: Bindings
  readonly bucket: string
  readonly same: Same
}

async function compareListings({ store, state, bindings, bucket, same }: Comparison): Promise<void> {
  const { buckets, versions, objects } = store
  await same(`versioning of ${bucket}`, buckets.getVersioning(bucket), state.buckets.get(bucket)?.versioning)
  const listed = all(versions.list(bucket)).then((entries) =>
    entries.map((entry) =>
      entry.kind === 'prefix'
        ? entry.prefix
        : [
            entry.key,
            bindings.ref(entry.versionId),
            entry.isLatest,
            ...(entry.kind === 'version' ? factsOf(entry) : []),
          ],
    ),
  )
  const expected = listVersions(state, bucket).map((entry) =>
    'prefix' in entry ? entry.prefix : [entry.key, refOf(entry), entry.isLatest, ...modelFacts(entry)],
  )
  await same(`versions of ${bucket}`, listed, expected)
  const current = all(objects.list(bucket)).then((entries) =>
    entries.map((entry) =>
      entry.kind === 'prefix' ? entry.prefix : [entry.key, bindings.ref(entry.versionId), ...factsOf(entry)],
    ),
  )
  const objectsExpected = listObjects(state, bucket).map((entry) =>
    'prefix' in entry ? entry.prefix : [entry.key, refOf(entry), ...modelFacts(entry)],
  )
  await same(`objects of ${bucket}`, current, objectsExpected)
  const rolled = all(objects.list(bucket, { delimiter: '/' })).then((entries) =>
    entries.map((entry) => (entry.kind === 'prefix' ? `${entry.prefix}…` : entry.key)),
  )
  const rolledExpected = listObjects(state, bucket, { delimiter: '/' })
  await same(
    `objects of ${bucket} by /`,
    rolled,
    rolledExpected.map((entry) => ('prefix' in entry ? `${entry.prefix}…` : entry.key)),
  )
}

const factsOf = ({ etag, size }: { readonly etag: string; readonly size: number }) => [etag, size]

const modelFacts = ({ object }: ModelVersion) =>
  object === undefined ? [] : [storedEtag(object.etag), sizeOf(object.body)]

async function compareUploads({ state, bindings, bucket, same }: Comparison, { uploads }: Store): Promise<void> {
  const listed = all(uploads.list(bucket)).then((entries) =>
    entries.map((entry) => (entry.kind === 'prefix' ? entry.prefix : [entry.key, entry.uploadId])),
  )
  const expected = listUploads(state, bucket).flatMap((entry) => ('prefix' in entry ? [] : [entry]))
  await same(
    `uploads of ${bucket}`,
    listed,
    expected.map(({ key, name }) => [key, bindings.upload(name)]),
  )
  for (const { key, name } of expected) {
    const parts = all(uploads.listParts({ bucket, key, uploadId: bindings.upload(name) }))
    await same(
      `parts of upload ${name}`,
      parts.then((found) => found.map(({ partNumber, size, etag }) => [partNumber, size, etag])),
      listParts(state, { bucket, key, upload: name }).map(({ number, body }) => [
        number,
        sizeOf(body),
        storedEtag(JSON.stringify(body)),
      ]),
    )
  }
}

/** The tags of each version, set with it or later. */
async function compareTags({ store, state, bindings, bucket, same }: Comparison): Promise<void> {
  for (const [key, versions] of state.buckets.get(bucket)?.keys ?? []) {
    for (const version of versions) {
      if (version.object === undefined) continue
      const named = { versionId: bindings.version(refOf(version)) }
      const tags = store.objects
        .annotations(bucket, key, named)
        .then((answered) => answered.tags?.map(({ value }) => value))
      const { tag } = version.object
      await same(`tags of ${refOf(version)} of ${bucket}/${show(key)}`, tags, tag === undefined ? tag : [tag])
    }
  }
}

/** Every version by its id, and every key as it is now: bytes, or the same refusal. */
async function compareBytes({ store, state, bindings, bucket, same }: Comparison): Promise<void> {
  for (const [key, versions] of state.buckets.get(bucket)?.keys ?? []) {
    for (const ref of [undefined, ...versions.map(refOf)]) {
      const options = ref === undefined ? {} : { versionId: bindings.version(ref) }
      const text = store.objects.get(bucket, key, options).then((object) => object.text())
      const expected = answering(() => findObject(state, bucket, key, ref).object.body)
      const what = `${ref ?? 'current'} of ${bucket}/${show(key)}`
      await same(what, text, 'ok' in expected ? expected.ok : expected.error)
    }
  }
}

function codeOf(error: unknown): string {
  if (isStorageError(error)) return error.code
  throw error
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length})` : text
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
