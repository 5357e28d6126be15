/** Blobs in segments: what is whole in memory goes in, and comes out through handles. Streams are `tiered-blobs.ts`'s. */
import { type BlobHandle, type BlobId, type Ids, StorageError } from '@varve/core'
import { allowing, errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import type { HandleSlots } from '../blobs/handle-slots.ts'
import type { BlobBudget } from '../blobs/write-blob-file.ts'
import { type Clearing, clearSegment } from './clear-segment.ts'
import type { SegmentContents } from './index-format.ts'
import type { LoadedSegment } from './load-segment.ts'
import { loadSegments, placesOf } from './open-segments.ts'
import type { PlaceTable } from './place-table.ts'
import type { Place } from './places.ts'
import { headerBytes } from './record-format.ts'
import { SegmentAppender } from './segment-appender.ts'
import { SegmentDirectory } from './segment-directory.ts'
import { type SegmentId, segmentPaths, sortNames } from './segment-paths.ts'
import { SegmentReaders } from './segment-readers.ts'
import {
  type ClearingPolicy,
  countTargets,
  isDamaged,
  isWasteful,
  nextToClear,
  type SegmentState,
} from './segment-states.ts'
import { blobWindow } from './segment-window.ts'

export interface SegmentStoreOptions extends ClearingPolicy {
  readonly fs: FileSystem
  readonly ids: Ids
  readonly reserve: BlobBudget | undefined
  readonly slots: HandleSlots
  /** Clear out segments whenever something was deleted, or only when asked. */
  readonly clearing: 'background' | 'asked'
}

export class SegmentStore {
  readonly #options: SegmentStoreOptions
  readonly #directory: SegmentDirectory
  readonly #table: PlaceTable
  readonly #states: Map<SegmentId, SegmentState>
  readonly #appender: SegmentAppender
  readonly readers: SegmentReaders
  readonly #busy = new Map<BlobId, Promise<unknown>>()
  /** Indexes are written and segments cleared out one after another, behind everybody's back. */
  #chores: Promise<unknown> = Promise.resolve()
  #tidying = false
  #again = false
  #closed = false

  /** @throws StorageError `BlobFailed` when the directory is not there, or cannot be read. */
  static async open(directory: string, options: SegmentStoreOptions): Promise<SegmentStore> {
    const paths = segmentPaths(directory)
    const home = new SegmentDirectory(options.fs, paths, options.ids)
    return onMedium('BlobFailed', 'Opening the segments', async () => {
      const { segments } = sortNames(await options.fs.readdir(paths.directory))
      // What is seen now must not be otherwise after a power cut: the process before may have been killed.
      if (segments.length > 0) await home.settle()
      const loaded = await loadSegments(options.fs, paths, segments)
      for (const segment of loaded) if (!segment.indexed) await settle(home, segment)
      return new SegmentStore(home, loaded, options)
    })
  }

  constructor(directory: SegmentDirectory, loaded: readonly LoadedSegment[], options: SegmentStoreOptions) {
    this.#options = options
    this.#directory = directory
    this.#table = placesOf(loaded)
    const marks = loaded.flatMap((segment) => segment.marks)
    this.#states = new Map(
      loaded.map((segment) => {
        const { id, end } = segment
        return [id, { id, end, targets: countTargets(segment.marks), damaged: isDamaged(segment, marks) }]
      }),
    )
    this.readers = new SegmentReaders(directory.fs, directory.paths, options.slots)
    this.#appender = new SegmentAppender({
      directory,
      reserve: options.reserve,
      segmentBytes: options.segmentBytes,
      onSealed: (id, contents) => this.#onSealed(id, contents),
    })
  }

  get ids(): Iterable<BlobId> {
    return this.#table.ids
  }

  has(id: BlobId): boolean {
    return this.#table.at(id) !== undefined
  }

  /** Resolves with the size when the blob is durable. `record` is 64 bytes of room, then the bytes; it is ours until then. */
  async write(id: BlobId, record: Buffer): Promise<number> {
    await this.#appender.append(id, record, (place) => this.#table.put(id, place))
    return record.length - headerBytes
  }

  /** `undefined` when it is not here. */
  async open(id: BlobId): Promise<BlobHandle | undefined> {
    for (let missed: Place | undefined; ; ) {
      const place = this.#table.at(id)
      if (place === undefined) return undefined
      if (place === missed) throw new StorageError('BlobMissing', 'The segment of the blob is gone.')
      const handle = await this.#openAt(place)
      if (handle !== undefined && this.#table.at(id) === place) return handle
      // It was moved meanwhile, or deleted.
      await handle?.close()
      missed = place
    }
  }

  /** Resolves when all of them that are here are gone for good. */
  async delete(ids: readonly BlobId[]): Promise<void> {
    for (let busy = this.#busyWith(ids); busy.length > 0; busy = this.#busyWith(ids)) await Promise.allSettled(busy)
    const here = [...new Set(ids)].filter((id) => this.has(id))
    if (here.length === 0) return
    const marks = here.flatMap((id) => [this.#table.at(id) as Place, ...this.#table.shadowsOf(id)])
    const marking = this.#appender.mark(marks).then(() => here.forEach((id) => this.#table.remove(id)))
    for (const id of here) this.#busy.set(id, marking)
    try {
      await marking
    } finally {
      for (const id of here) this.#busy.delete(id)
    }
    this.#tidyIfWasteful(marks.map(({ segment }) => segment))
  }

  /** What earlier processes began and did not finish. Only from then on is anything done that nobody asked for. */
  async discardUnfinished(): Promise<number> {
    const { fs, paths } = this.#directory
    const count = await onMedium('BlobFailed', 'Looking for unfinished segments', async () => {
      const { leftovers } = sortNames(await fs.readdir(paths.directory))
      for (const name of leftovers) await allowing('ENOENT', () => fs.unlink(`${paths.directory}/${name}`))
      return leftovers.length
    })
    this.#tidy()
    return count
  }

  /** Clears out every segment that is worth it; resolves with how many are gone. */
  async compact(): Promise<number> {
    return this.#chore(() => this.#clearAll())
  }

  /** Clears out this one, whatever is in it; `take` puts the file elsewhere. False when something in it cannot be moved. */
  async clearOut(id: SegmentId, take: () => Promise<unknown>): Promise<boolean> {
    return this.#chore(async () => {
      if (!this.#states.has(id)) return false
      const cleared = await clearSegment(this.#clearingOf(), id, take)
      // Its index says nothing any more, and goes at the latest when the store is opened.
      if (cleared === 'gone') this.#forget(id)
      return cleared === 'gone'
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    // Whoever clears out stops at the next batch; what is sealed then is the last thing to get an index.
    await this.#chores
    await this.#appender.close()
    await this.#chores
    await this.readers.close()
  }

  async #openAt(place: Place): Promise<BlobHandle | undefined> {
    return onMedium('BlobFailed', 'Opening a blob', async () => {
      try {
        return blobWindow(await this.readers.lease(place.segment), place)
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error
        return undefined
      }
    })
  }

  #onSealed(id: SegmentId, contents: SegmentContents): void {
    const { blobs, marks, end } = contents
    this.#states.set(id, { id, end, targets: countTargets(marks), damaged: false })
    const work =
      blobs.length + marks.length === 0 ? () => this.#remove(id) : () => this.#directory.writeIndex(id, contents)
    // Without an index it is read when the store is opened: that takes time, and is all.
    this.#chore(work).catch(() => undefined)
    this.#tidyIfWasteful([id])
  }

  /** Looking through all segments is for when one of them has changed for the worse. */
  #tidyIfWasteful(changed: readonly SegmentId[]): void {
    const states = [...new Set(changed)].flatMap((id) => this.#states.get(id) ?? [])
    if (states.some((state) => isWasteful(state, this.#table.liveIn(state.id), this.#options))) this.#tidy()
  }

  #busyWith(ids: readonly BlobId[]): readonly Promise<unknown>[] {
    return ids.flatMap((id) => this.#busy.get(id) ?? [])
  }

  /** Begins to clear out what is worth it; when that is under way, it goes round once more. */
  #tidy(): void {
    if (this.#options.clearing === 'asked' || this.#closed) return
    this.#again = this.#tidying
    if (this.#tidying) return
    this.#tidying = true
    const clear = this.#chore(() => this.#clearAll())
    void clear
      .catch(() => undefined)
      .then(() => {
        this.#tidying = false
        if (this.#again) this.#tidy()
      })
  }

  #chore<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#chores.then(work)
    this.#chores = done.catch(() => undefined)
    return done
  }

  async #clearAll(): Promise<number> {
    const skip = new Set<SegmentId>()
    let gone = 0
    while (!this.#closed) {
      const id = nextToClear(this.#states, this.#table, this.#options, skip)
      if (id === undefined) break
      skip.add(id)
      const cleared = await onMedium('BlobFailed', 'Clearing out a segment', () => clearSegment(this.#clearingOf(), id))
      if (cleared === 'gone') {
        gone++
        this.#forget(id)
      } else if (cleared === 'damaged') {
        this.#states.set(id, { ...(this.#states.get(id) as SegmentState), damaged: true })
      }
    }
    return gone
  }

  async #remove(id: SegmentId): Promise<void> {
    await this.#directory.remove(id)
    this.#forget(id)
  }

  /** Only when it is gone for good: until then marks about it are needed. */
  #forget(id: SegmentId): void {
    this.#states.delete(id)
    this.#table.dropSegment(id)
    this.#appender.forget(id)
  }

  #clearingOf(): Clearing {
    return {
      directory: this.#directory,
      table: this.#table,
      appender: this.#appender,
      readers: this.readers,
      busy: this.#busy,
      isThere: (segment) => this.#states.has(segment) || segment === this.#appender.open,
      stopped: () => this.#closed,
    }
  }
}

/**
 * A segment that a process left without an index: what it holds may be in the memory of the system alone, deletes too
 * that are about to be believed.
 */
async function settle(home: SegmentDirectory, segment: LoadedSegment): Promise<void> {
  const file = await home.fs.open(home.paths.segmentOf(segment.id), 'r+')
  try {
    await file.sync()
  } finally {
    await file.close().catch(() => undefined)
  }
  await home.writeIndex(segment.id, segment).catch(() => undefined)
}
