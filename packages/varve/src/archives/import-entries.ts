/**
 * Stores objects or histories in a bucket, and leaves what is there. An import that was cut goes on when it is called
 * again: what it had stored is found to be the same.
 */
import { isStorageError, type ListedMarker, type ListedVersion, StorageError } from '@varve/core'
import type { ImportingStore } from './archived-store.ts'
import { importConflict } from './import-conflict.ts'
import type {
  ImportCounts,
  ImportedEntry,
  ImportedObject,
  ImportProgress,
  ImportSize,
  OnConflict,
} from './import-entry.ts'
import { KeyHistory } from './key-history.ts'
import { isSameObject } from './same-object.ts'
import { storeObject, type StoringOptions } from './store-object.ts'

/** How entries are imported. */
export interface ImportJob extends StoringOptions {
  readonly bucket: string
  /** True if nothing was in the bucket before. */
  readonly isNew: boolean
  /** Adds each entry as a version of its own, the oldest of a key first. Otherwise, each key has one entry. */
  readonly withHistory: boolean
  readonly onConflict: OnConflict
  onProgress?: ((progress: ImportProgress) => void) | undefined
  /** The size of the import, once it is known. */
  total?: (() => ImportSize | undefined) | undefined
}

/** Contents of an archive up to this size are in memory, so that several are stored in one commit. */
const heldMax = 128 * 1024
const atOnce = 32
/** Of larger contents, so that small ones behind them find a place. */
const largeAtOnce = 8

/** @throws StorageError `ImportConflict`; as `put`; what the entries throw. What was stored before stays. */
export async function importEntries(
  store: ImportingStore,
  job: ImportJob,
  entries: AsyncIterable<ImportedEntry>,
): Promise<ImportCounts> {
  const importer = new Importer(store, job)
  try {
    for await (const entry of entries) {
      try {
        job.signal?.throwIfAborted()
        await importer.take(entry)
      } catch (error) {
        await close(entry)
        throw error
      }
    }
  } finally {
    await importer.settle()
  }
  importer.assertStored()
  return importer.counts
}

const close = async (entry: ImportedEntry): Promise<void> => {
  if (entry.kind === 'object') await entry.close?.()
}

/** The entries of a key are added one after the other; other keys do not wait for it. */
interface Line {
  readonly key: string
  readonly history: KeyHistory
  last: Promise<void>
}

class Importer {
  readonly #store: ImportingStore
  readonly #job: ImportJob
  readonly #running = new Map<Promise<void>, ImportedEntry>()
  readonly #counts = { stored: 0, markers: 0, unchanged: 0, skipped: 0, bytes: 0 }
  readonly #done = { objects: 0, bytes: 0 }
  #isVersioned: boolean | undefined
  #failure: { readonly error: unknown } | undefined
  /** That of the present key. */
  #line: Line | undefined

  constructor(store: ImportingStore, job: ImportJob) {
    this.#store = store
    this.#job = job
  }

  get counts(): ImportCounts {
    return { ...this.#counts }
  }

  /** Begins to import the entry, when there is a place for it. Waits for one whose content has to be read now. */
  async take(entry: ImportedEntry): Promise<void> {
    this.assertStored()
    const isLarge = sizeOf(entry) > heldMax
    const isLasting = entry.kind === 'marker' || entry.isLasting === true
    const ready = isLasting || isLarge ? entry : await inMemory(entry)
    while (this.#isFull(isLarge)) await Promise.race(this.#running.keys())
    const running = this.#start(ready)
    if (isLasting || !isLarge) return
    await running
    this.assertStored()
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running.keys())
  }

  /** @throws the first error of what was started */
  assertStored(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #isFull(isLarge: boolean): boolean {
    if (this.#running.size >= atOnce) return true
    return isLarge && [...this.#running.values()].filter((entry) => sizeOf(entry) > heldMax).length >= largeAtOnce
  }

  #start(entry: ImportedEntry): Promise<void> {
    const running = this.#importAndClose(entry)
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#running.delete(running))
    this.#running.set(running, entry)
    return running
  }

  async #importAndClose(entry: ImportedEntry): Promise<void> {
    try {
      await this.#import(entry)
    } finally {
      await close(entry)
    }
  }

  async #import(entry: ImportedEntry): Promise<void> {
    const read = { bytes: 0 }
    const counted = entry.kind === 'marker' ? entry : this.#counted(entry, read)
    try {
      await (this.#job.withHistory ? this.#inLine(counted) : this.#place(counted))
    } catch (error) {
      this.#done.bytes -= read.bytes
      throw error
    }
    this.#done.objects++
    this.#done.bytes += sizeOf(entry) - read.bytes
    this.#report()
  }

  /** Counts the bytes of a large object as they are stored. */
  #counted(entry: ImportedObject, read: { bytes: number }): ImportedObject {
    if (entry.size <= heldMax) return entry
    const count = (bytes: number): void => {
      this.#done.bytes += bytes
      read.bytes += bytes
      this.#report()
    }
    return {
      ...entry,
      async *read() {
        // A content that is read again counts once.
        count(-read.bytes)
        for await (const chunk of entry.read()) {
          yield chunk
          count(chunk.length)
        }
      },
    }
  }

  #report(): void {
    const total = this.#job.total?.()
    this.#job.onProgress?.({ ...this.#counts, done: { ...this.#done }, ...(total && { total }) })
  }

  async #inLine(entry: ImportedEntry): Promise<void> {
    const { key } = entry
    if (this.#line?.key !== key)
      this.#line = { key, history: KeyHistory.of(this.#store, this.#job, key), last: Promise.resolve() }
    const line = this.#line
    const added = line.last.then(() => {
      // The rest of a key would be in another order.
      if (this.#failure !== undefined) return
      this.#job.signal?.throwIfAborted()
      return this.#add(line.history, entry)
    })
    line.last = added.catch((error: unknown) => {
      this.#failure ??= { error }
    })
    await added
  }

  /** As the only version that is meant. */
  async #place(entry: ImportedEntry): Promise<void> {
    if (entry.kind === 'marker') return
    const { bucket, signal, isNew } = this.#job
    const isAgain = entry.isLasting === true || entry.size <= heldMax
    if (isNew && isAgain && (await this.#isStoredNew(entry))) return
    const info = await this.#store.objects
      .head(bucket, entry.key, signal === undefined ? {} : { signal })
      .catch((error: unknown) => {
        if (isStorageError(error, 'NoSuchKey')) return undefined
        throw error
      })
    if (info === undefined) {
      if (await this.#isStoredNew(entry)) return
      throw importConflict(bucket, entry.key, 'it was stored by others meanwhile')
    }
    if (await isSameObject(this.#store, { bucket, info, signal }, entry)) this.#counts.unchanged++
    else if (this.#mayReplace(entry)) await this.#storeAs(entry)
  }

  /** False if an object of this key is there. */
  async #isStoredNew(entry: ImportedObject): Promise<boolean> {
    try {
      await this.#storeAs(entry, { ifNoneMatch: '*' })
      return true
    } catch (error) {
      if (isStorageError(error, 'PreconditionFailed')) return false
      throw error
    }
  }

  async #storeAs(entry: ImportedObject, conditions: { readonly ifNoneMatch?: '*' } = {}): Promise<void> {
    const { bucket } = this.#job
    await storeObject(this.#store, bucket, entry, { ...this.#job, conditions })
    this.#counts.stored++
    this.#counts.bytes += entry.size
  }

  /** As a version behind those of the key. */
  async #add(history: KeyHistory, entry: ImportedEntry): Promise<void> {
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
    await this.#assertVersioning()
    if (entry.kind === 'object') return this.#storeAs(entry)
    await this.#store.objects.delete(this.#job.bucket, entry.key)
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
    if (onConflict === 'refuse') throw importConflict(bucket, key, 'it is there with other bytes or metadata')
    if (onConflict === 'replace') return true
    this.#counts.skipped++
    return false
  }
}

const sizeOf = (entry: ImportedEntry): number => (entry.kind === 'object' ? entry.size : 0)

/** Reads the content now. */
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
