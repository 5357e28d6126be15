/** Blobs in segments: writes blobs that are whole in memory, reads through handles. Streams: see `tiered-blobs.ts`. */
import { type BlobHandle, type BlobId, type Ids, StorageError } from '@varve/core'
import { allowing, errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import type { HandleSlots } from '../blobs/handle-slots.ts'
import type { BlobBudget } from '../blobs/write-blob-file.ts'
import type { LoadedSegment } from './load-segment.ts'
import { OpenCounts } from './open-counts.ts'
import { openSegments, placesOf } from './open-segments.ts'
import { overwriteBlobs, overwritePlaces } from './overwrite-blobs.ts'
import type { PlaceTable } from './place-table.ts'
import type { Place } from './format/places.ts'
import { headerBytes } from './format/record-format.ts'
import { SegmentAppender } from './segment-appender.ts'
import { type SegmentMaintenanceOptions, SegmentMaintenance } from './segment-maintenance.ts'
import { SegmentDirectory } from './segment-directory.ts'
import { type SegmentId, segmentPaths, sortNames } from './format/segment-paths.ts'
import { SegmentReaders } from './segment-readers.ts'
import { blobWindow } from './segment-window.ts'

export interface SegmentStoreOptions extends SegmentMaintenanceOptions {
  readonly fs: FileSystem
  readonly ids: Ids
  readonly reserve: BlobBudget | undefined
  readonly slots: HandleSlots
}

export class SegmentStore {
  readonly #directory: SegmentDirectory
  readonly #table: PlaceTable
  readonly #appender: SegmentAppender
  readonly readers: SegmentReaders
  readonly #maintenance: SegmentMaintenance
  /** Blobs that are being moved or deleted, with a promise for the end of that. */
  readonly #busy = new Map<BlobId, Promise<unknown>>()
  readonly #handles = new OpenCounts()

  /** @throws StorageError `BlobFailed` when the directory is missing or cannot be read. */
  static async open(directory: string, options: SegmentStoreOptions): Promise<SegmentStore> {
    const home = new SegmentDirectory(options.fs, segmentPaths(directory), options.ids)
    const loaded = await onMedium('BlobFailed', 'Opening the segments', () => openSegments(home))
    return new SegmentStore(home, loaded, options)
  }

  constructor(directory: SegmentDirectory, loaded: readonly LoadedSegment[], options: SegmentStoreOptions) {
    const { reserve, slots, segmentBytes } = options
    this.#directory = directory
    this.#table = placesOf(loaded)
    this.readers = new SegmentReaders(directory.fs, directory.paths, slots)
    this.#appender = new SegmentAppender({
      directory,
      reserve,
      segmentBytes,
      onSealed: (id, contents) => this.#maintenance.sealed(id, contents),
    })
    const [table, appender, readers, busy] = [this.#table, this.#appender, this.readers, this.#busy]
    this.#maintenance = new SegmentMaintenance({ directory, table, appender, readers, busy }, loaded, options)
  }

  get ids(): Iterable<BlobId> {
    return this.#table.ids
  }

  has(id: BlobId): boolean {
    return this.#table.at(id) !== undefined
  }

  /** Resolves with the size when the blob is durable. Until then, keep `record`: 64 bytes of space, then the bytes. */
  async write(id: BlobId, record: Buffer): Promise<number> {
    await this.#appender.append(id, record, (place) => this.#table.put(id, place))
    return record.length - headerBytes
  }

  /** `undefined` when it is not in a segment. */
  async open(id: BlobId): Promise<BlobHandle | undefined> {
    for (let missed: Place | undefined; ; ) {
      const place = this.#table.at(id)
      if (place === undefined) return undefined
      if (place === missed) throw new StorageError('BlobMissing', 'The segment of the blob is gone.')
      const handle = await this.#openAt(id, place)
      if (handle !== undefined && this.#table.at(id) === place) return handle
      // It was moved or deleted meanwhile.
      await handle?.close()
      missed = place
    }
  }

  /** Resolves when those of the blobs that are in segments are deleted durably. */
  async delete(ids: readonly BlobId[]): Promise<void> {
    await this.#delete(ids)
  }

  /** As `delete`, and leaves nothing of their bytes: blobs that nothing reads. */
  async discard(ids: readonly BlobId[]): Promise<void> {
    const places = await this.#delete(ids)
    await onMedium('BlobFailed', 'Overwriting discarded blobs', () => overwritePlaces(this.#directory, places))
  }

  /** Resolves with the places where they were. */
  async #delete(ids: readonly BlobId[]): Promise<readonly Place[]> {
    for (let busy = this.#busyWith(ids); busy.length > 0; busy = this.#busyWith(ids)) await Promise.allSettled(busy)
    const here = [...new Set(ids)].filter((id) => this.has(id))
    if (here.length === 0) return []
    const marks = here.flatMap((id) => [this.#table.at(id) as Place, ...this.#table.shadowsOf(id)])
    const marking = this.#appender.mark(marks).then(() => here.forEach((id) => this.#table.remove(id)))
    for (const id of here) this.#busy.set(id, marking)
    try {
      await marking
    } finally {
      for (const id of here) this.#busy.delete(id)
    }
    this.#maintenance.tidyIfWasteful(marks.map(({ segment }) => segment))
    return marks
  }

  /** Leaves nothing of deleted blobs in the segments. False if open handles read them: then it has to be called again. */
  async overwrite(deleted: readonly BlobId[]): Promise<boolean> {
    const free = deleted.filter((id) => !this.#handles.has(id))
    await onMedium('BlobFailed', 'Overwriting deleted blobs', () => overwriteBlobs(this.#directory, free))
    return free.length === deleted.length
  }

  /** The segment of the blob is gone. */
  forget(id: BlobId): void {
    this.#table.remove(id)
  }

  /** Removes unfinished work of earlier processes. Background work begins only after this. */
  async discardUnfinished(): Promise<number> {
    const { fs, paths } = this.#directory
    const count = await onMedium('BlobFailed', 'Looking for unfinished segments', async () => {
      const { leftovers } = sortNames(await fs.readdir(paths.directory))
      for (const name of leftovers) await allowing('ENOENT', () => fs.unlink(`${paths.directory}/${name}`))
      return leftovers.length
    })
    this.#maintenance.tidy()
    return count
  }

  /** Clears out every wasteful segment; resolves with the number of removed segments. */
  compact(): Promise<number> {
    return this.#maintenance.clearAll()
  }

  /** Clears out this segment in any case; `take` moves the file elsewhere. False when a part of it cannot be moved. */
  clearOut(id: SegmentId, take: () => Promise<unknown>): Promise<boolean> {
    return this.#maintenance.clearOut(id, take)
  }

  async close(): Promise<void> {
    await this.#maintenance.stop()
    await this.#appender.close()
    // A segment that was sealed just now is the last to get an index.
    await this.#maintenance.stop()
    await this.readers.close()
  }

  async #openAt(id: BlobId, place: Place): Promise<BlobHandle | undefined> {
    return onMedium('BlobFailed', 'Opening a blob', async () => {
      try {
        const { file, release } = await this.readers.lease(place.segment)
        return blobWindow({ file, release: this.#handles.add(id, release) }, place)
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error
        return undefined
      }
    })
  }

  #busyWith(ids: readonly BlobId[]): readonly Promise<unknown>[] {
    return ids.flatMap((id) => this.#busy.get(id) ?? [])
  }
}
