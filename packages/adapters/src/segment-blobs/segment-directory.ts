/**
 * Changes to `segments/`, each durable when it resolves. After a failed sync of the directory nothing is changed any
 * more until the store is opened again: the system may report the loss only once.
 */
import { type Ids, isStorageError, StorageError } from '@varve/core'
import { allowing, onMedium } from '../files/errno.ts'
import { privateFile, syncDirectory, temporaryOf } from '../files/durable-files.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { writeAll } from '../files/write-all.ts'
import { encodeIndex, type SegmentContents } from './format/index-format.ts'
import { segmentHeader } from './format/record-format.ts'
import type { SegmentId, SegmentPaths } from './format/segment-paths.ts'

export interface NewSegment {
  readonly id: SegmentId
  readonly file: OpenFile
}

export class SegmentDirectory {
  readonly fs: FileSystem
  readonly paths: SegmentPaths
  readonly #ids: Ids
  #distrust: StorageError | undefined

  constructor(fs: FileSystem, paths: SegmentPaths, ids: Ids) {
    this.fs = fs
    this.paths = paths
    this.#ids = ids
  }

  /** @throws StorageError after a sync of the directory has failed. */
  assertTrusted(): void {
    if (this.#distrust !== undefined) throw this.#distrust
  }

  /** Creates a segment with a header and a durable name, open for writing after the header. */
  async create(): Promise<NewSegment> {
    const id = this.#ids.next()
    return { id, file: await this.#place(this.paths.segmentOf(id), segmentHeader(id)) }
  }

  /** When this resolves, the index describes the segment. */
  async writeIndex(id: SegmentId, contents: SegmentContents): Promise<void> {
    const file = await this.#place(this.paths.indexOf(id), encodeIndex(id, contents))
    await file.close()
  }

  /** Removes the segment before its index: without an index it would be scanned, with unacknowledged records. */
  async remove(id: SegmentId): Promise<void> {
    this.assertTrusted()
    await allowing('ENOENT', () => this.fs.unlink(this.paths.segmentOf(id)))
    await this.#sync()
    await allowing('ENOENT', () => this.fs.unlink(this.paths.indexOf(id)))
  }

  /** Makes the entries of the directory durable: a process that was killed may not have done so. */
  async settle(): Promise<void> {
    await this.#sync()
  }

  /** Writes a new file that is complete and durable before it gets its name; the file stays open. */
  async #place(path: string, bytes: Uint8Array): Promise<OpenFile> {
    this.assertTrusted()
    const temporary = temporaryOf(path)
    const file = await this.fs.open(temporary, 'wx', privateFile)
    let named = temporary
    try {
      await writeAll(file, bytes, 0)
      await assertSize(file, bytes.length)
      await file.sync()
      await this.fs.rename(temporary, path)
      named = path
      await this.#sync()
      return file
    } catch (error) {
      await file.close().catch(() => undefined)
      await this.fs.unlink(named).catch(() => undefined)
      throw error
    }
  }

  async #sync(): Promise<void> {
    try {
      await onMedium('BlobFailed', 'Making a name among segments durable', () =>
        syncDirectory(this.fs, this.paths.directory),
      )
    } catch (cause) {
      // If the directory could not even be opened, no fsync failed and nothing was lost.
      if (!isStorageError(cause, 'TooManyOpenFiles')) this.#distrust ??= distrust(cause)
      throw cause
    }
    this.assertTrusted()
  }
}

/** Detects a disk that reports success for a write it did not make: the file would be too short without any error. */
export async function assertSize(file: OpenFile, expected: number): Promise<void> {
  const { size } = await file.stat()
  if (size >= expected) return
  const details = { kind: 'size', size, expected }
  throw new StorageError('BlobFailed', `A file of ${expected} bytes came out with ${size}.`, { details })
}

function distrust(cause: unknown): StorageError {
  const message = 'The directory of segments failed: nothing is written to it until the store is opened again.'
  return new StorageError('BlobFailed', message, { details: { kind: 'directory' }, cause })
}
