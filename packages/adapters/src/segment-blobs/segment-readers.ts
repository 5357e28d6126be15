/**
 * Segments open for reading. All readers of a segment share one handle. Idle handles stay open for the next reader,
 * until another file needs the slot. An open segment keeps its bytes, even if its name is removed.
 */
import { allDone } from '../files/all-done.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import type { HandleSlots } from '../blobs/handle-slots.ts'
import type { SegmentId, SegmentPaths } from './format/segment-paths.ts'

export interface SegmentLease {
  readonly file: OpenFile
  /** Idempotent. Rejects with the error of closing the file. */
  release(): Promise<void>
}

interface Reader {
  readonly opening: Promise<OpenFile>
  readonly giveBack: () => void
  leases: number
  /** Close it when it becomes idle. */
  retired: boolean
}

const idleMax = 32

export class SegmentReaders {
  readonly #fs: FileSystem
  readonly #paths: SegmentPaths
  readonly #slots: HandleSlots
  /** The least recently used first. */
  readonly #readers = new Map<SegmentId, Reader>()

  constructor(fs: FileSystem, paths: SegmentPaths, slots: HandleSlots) {
    this.#fs = fs
    this.#paths = paths
    this.#slots = slots
  }

  /** @throws the errors of opening a file, and `TooManyOpenFiles`. */
  async lease(segment: SegmentId): Promise<SegmentLease> {
    const reader = this.#readers.get(segment) ?? this.#open(segment)
    // Moves it to the end, as the most recently used.
    this.#readers.delete(segment)
    this.#readers.set(segment, reader)
    reader.leases++
    let released: Promise<void> | undefined
    const release = () => (released ??= this.#release(segment, reader))
    try {
      return { file: await reader.opening, release }
    } catch (error) {
      if (this.#readers.get(segment) === reader) this.#readers.delete(segment)
      reader.giveBack()
      throw error
    }
  }

  /** Closes one idle handle; false when there is none. */
  reclaim(): boolean {
    for (const [segment, reader] of this.#readers) {
      if (reader.leases > 0) continue
      this.#drop(segment, reader)
      return true
    }
    return false
  }

  /** The segment has no name any more: its handle is closed after its last reader. */
  retire(segment: SegmentId): void {
    const reader = this.#readers.get(segment)
    if (reader === undefined) return
    reader.retired = true
    this.#readers.delete(segment)
    if (reader.leases === 0) void close(reader).catch(() => undefined)
  }

  /** Closes the idle handles; the others are closed when they are released. */
  async close(): Promise<void> {
    const all = [...this.#readers.entries()]
    this.#readers.clear()
    for (const [, reader] of all) reader.retired = true
    const idle = all.filter(([, { leases }]) => leases === 0)
    await allDone(idle.map(([, reader]) => close(reader).catch(() => undefined)))
  }

  #open(segment: SegmentId): Reader {
    const giveBack = this.#slots.take()
    return { opening: this.#fs.open(this.#paths.segmentOf(segment), 'r'), giveBack, leases: 0, retired: false }
  }

  async #release(segment: SegmentId, reader: Reader): Promise<void> {
    reader.leases--
    if (reader.leases > 0) return
    if (reader.retired) return close(reader)
    const idle = [...this.#readers.values()].filter(({ leases }) => leases === 0).length
    if (idle > idleMax) this.#drop(segment, reader)
  }

  #drop(segment: SegmentId, reader: Reader): void {
    this.#readers.delete(segment)
    void close(reader).catch(() => undefined)
  }
}

async function close({ opening, giveBack }: Reader): Promise<void> {
  // At once, so that a caller that waits for a handle gets it.
  giveBack()
  const file = await opening.catch(() => undefined)
  await file?.close()
}
