/**
 * Stores objects or histories in a bucket, and leaves what is there. An import that was cut goes on when it is called
 * again: what it had stored is found to be the same.
 */
import { isStorageError, type ListedMarker, type ListedVersion, StorageError } from '@varve/core'
import type { ImportingStore } from './archived-store.ts'
import type { ImportCounts, ImportedEntry, ImportedObject, OnConflict } from './import-entry.ts'
import { oldestFirst } from './oldest-first.ts'
import { isSameObject } from './same-object.ts'
import { storeObject, type StoringOptions } from './store-object.ts'

/** How entries are imported. */
export interface ImportJob extends StoringOptions {
  readonly bucket: string
  /** Adds each entry as a version of its own, the oldest of a key first. Otherwise, each key has one entry. */
  readonly withHistory: boolean
  readonly onConflict: OnConflict
  onProgress?: ((counts: ImportCounts) => void) | undefined
}

/** Contents up to this size are in memory, so that several are stored in one commit. */
const heldMax = 128 * 1024
const atOnce = 32

/** @throws StorageError `ImportConflict`; as `put`; what the entries throw. What was stored before stays. */
export async function importEntries(
  store: ImportingStore,
  job: ImportJob,
  entries: AsyncIterable<ImportedEntry>,
): Promise<ImportCounts> {
  const importer = new Importer(store, job)
  try {
    for await (const entry of entries) {
      job.signal?.throwIfAborted()
      await importer.take(entry)
    }
  } finally {
    await importer.settle()
  }
  importer.assertStored()
  return importer.counts
}

class Importer {
  readonly #store: ImportingStore
  readonly #job: ImportJob
  readonly #running = new Set<Promise<void>>()
  readonly #counts = { stored: 0, markers: 0, unchanged: 0, skipped: 0, bytes: 0 }
  #isVersioned: boolean | undefined
  #failure: { readonly error: unknown } | undefined
  /** The history of the present key. */
  #history: KeyHistory | undefined

  constructor(store: ImportingStore, job: ImportJob) {
    this.#store = store
    this.#job = job
  }

  get counts(): ImportCounts {
    return { ...this.#counts }
  }

  async take(entry: ImportedEntry): Promise<void> {
    this.assertStored()
    const isHeld = entry.kind === 'object' && entry.size <= heldMax
    if (!this.#job.withHistory && isHeld) {
      const held = await inMemory(entry)
      if (this.#running.size >= atOnce) await Promise.race(this.#running)
      return this.#start(() => this.#place(held))
    }
    await this.settle()
    this.assertStored()
    await (this.#job.withHistory ? this.#add(entry) : this.#place(entry))
    this.#job.onProgress?.(this.counts)
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** @throws the first error of what was started */
  assertStored(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #start(work: () => Promise<void>): void {
    const running = work()
      .then(() => this.#job.onProgress?.(this.counts))
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** As the only version that is meant. */
  async #place(entry: ImportedEntry): Promise<void> {
    if (entry.kind === 'marker') return
    const { bucket, signal } = this.#job
    const info = await this.#store.objects
      .head(bucket, entry.key, signal === undefined ? {} : { signal })
      .catch((error: unknown) => {
        if (isStorageError(error, 'NoSuchKey')) return undefined
        throw error
      })
    if (info === undefined) return this.#storeNew(entry)
    if (await isSameObject(this.#store, { bucket, info, signal }, entry)) this.#counts.unchanged++
    else if (this.#mayReplace(entry)) await this.#storeAs(entry)
  }

  async #storeNew(entry: ImportedObject): Promise<void> {
    try {
      await this.#storeAs(entry, { ifNoneMatch: '*' })
    } catch (error) {
      if (!isStorageError(error, 'PreconditionFailed')) throw error
      throw conflict(this.#job.bucket, entry.key, 'it was stored by others meanwhile')
    }
  }

  async #storeAs(entry: ImportedObject, conditions: { readonly ifNoneMatch?: '*' } = {}): Promise<void> {
    const { bucket } = this.#job
    await storeObject(this.#store, bucket, entry, { ...this.#job, conditions })
    this.#counts.stored++
    this.#counts.bytes += entry.size
  }

  /** As a version behind those of the key. */
  async #add(entry: ImportedEntry): Promise<void> {
    if (this.#history?.key !== entry.key) this.#history = await KeyHistory.of(this.#store, this.#job, entry.key)
    const history = this.#history
    if (history.isSkipped) return void this.#counts.skipped++
    // Versions of others may stand between those that are imported: an import before this one has replaced them.
    while (!history.isAppending) {
      const next = await history.next()
      if (next === undefined) history.isAppending = true
      else if (await this.#isSame(next, entry)) return void this.#counts.unchanged++
      else if (!this.#mayReplace(entry)) return void (history.isSkipped = true)
    }
    await this.#append(entry)
  }

  async #isSame(version: ListedVersion | ListedMarker, entry: ImportedEntry): Promise<boolean> {
    if (version.kind === 'marker' || entry.kind === 'marker') return version.kind === entry.kind
    const { bucket, signal } = this.#job
    const { versionId, key } = version
    const info = await this.#store.objects.head(bucket, key, { versionId, ...(signal && { signal }) })
    return isSameObject(this.#store, { bucket, info, signal }, entry)
  }

  async #append(entry: ImportedEntry): Promise<void> {
    const { bucket, signal } = this.#job
    await this.#assertVersioning()
    if (entry.kind === 'object') return this.#storeAs(entry)
    await this.#store.objects.delete(bucket, entry.key, signal === undefined ? {} : { signal })
    this.#counts.markers++
  }

  /** Without versioning, each version would replace the one before. @throws StorageError `InvalidBucketState` */
  async #assertVersioning(): Promise<void> {
    const { bucket } = this.#job
    this.#isVersioned ??= (await this.#store.buckets.head(bucket)).versioning === 'Enabled'
    if (this.#isVersioned) return
    const message = `The versioning of the bucket ${bucket} is not enabled, and a history needs it.`
    throw new StorageError('InvalidBucketState', message, { details: { bucket } })
  }

  /** @throws StorageError `ImportConflict` */
  #mayReplace({ key }: ImportedEntry): boolean {
    const { onConflict, bucket } = this.#job
    if (onConflict === 'refuse') throw conflict(bucket, key, 'it is there with other bytes or metadata')
    if (onConflict === 'replace') return true
    this.#counts.skipped++
    return false
  }
}

/** The versions that a key of the bucket has already, the oldest first. */
class KeyHistory {
  readonly key: string
  readonly #versions: AsyncGenerator<ListedVersion | ListedMarker>
  /** The rest of the key is not imported. */
  isSkipped = false
  /** The rest of the key comes behind what is there. */
  isAppending = false

  private constructor(key: string, versions: AsyncGenerator<ListedVersion | ListedMarker>) {
    this.key = key
    this.#versions = versions
  }

  static async of({ versions }: ImportingStore, { bucket, signal }: ImportJob, key: string): Promise<KeyHistory> {
    const entries = oldestFirst<ListedVersion | ListedMarker>(async (after) => {
      const markers = after && { keyMarker: after.key, versionIdMarker: after.versionId }
      const page = await versions.listPage(bucket, { prefix: key, ...markers, ...(signal && { signal }) })
      const found = page.entries.filter((entry) => entry.kind !== 'prefix')
      const own = found.filter((entry) => entry.key === key)
      // Others that begin with the key come after it.
      return { entries: own, isTruncated: page.isTruncated && own.length === found.length }
    })
    return new KeyHistory(key, entries)
  }

  async next(): Promise<ListedVersion | ListedMarker | undefined> {
    const next = await this.#versions.next()
    return next.done === true ? undefined : next.value
  }
}

function conflict(bucket: string, key: string, problem: string): StorageError {
  const shown = JSON.stringify(key.length <= 200 ? key : `${key.slice(0, 200)}…`)
  return new StorageError(
    'ImportConflict',
    `The object ${shown} of the bucket ${bucket} cannot be imported: ${problem}.`,
    {
      details: { bucket, key },
    },
  )
}

/** Reads the content now, because that of an archive has to be read before the next member. */
async function inMemory(entry: ImportedObject): Promise<ImportedObject> {
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.read()) chunks.push(chunk)
  return {
    ...entry,
    read: () =>
      (async function* () {
        yield* chunks
      })(),
  }
}
