/**
 * The segments for readers: a limited number of open files. The old file of a replaced segment stays open as long as a
 * reader may hold a place in it.
 */
import { StorageError } from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { errnoOf } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { readUpTo } from '../files/read-up-to.ts'
import type { Place } from './format/log-position.ts'
import { decodeSegmentHeader, recordSeed, type SegmentHeader, segmentHeaderLength } from './format/segment-header.ts'
import { segmentDamage, segmentPath } from './format/segment-names.ts'

/** Held by a reader that may use places it read earlier. */
export interface Pin {
  readonly generation: number
  /** Idempotent. */
  release(): void
}

interface Handle {
  readonly number: number
  readonly opening: Promise<OpenFile>
  /** Set once the file is open. */
  file?: OpenFile
  users: number
  /** The first generation of readers that must not use it. */
  retired?: number
}

/** Above this size, a read blocks the event loop for longer than a trip through the thread pool takes. */
const syncBytesMax = 64 * 1024

export interface KnownSegment extends SegmentHeader {
  /** The initial value for the checksums of its records. */
  readonly seed: number
}

export class SegmentFiles {
  readonly #fs: FileSystem
  readonly #directory: string
  readonly #openMax: number
  /** In the order of their last use. */
  readonly #handles = new Map<number, Handle>()
  readonly #retired: Handle[] = []
  readonly #headers = new Map<number, KnownSegment>()
  readonly #pins = new Set<Pin>()
  #generation = 0

  constructor(fs: FileSystem, directory: string, openMax: number) {
    this.#fs = fs
    this.#directory = directory
    this.#openMax = openMax
  }

  pin(): Pin {
    const pin: Pin = {
      generation: this.#generation,
      release: () => {
        if (this.#pins.delete(pin)) this.#closeRetired()
      },
    }
    this.#pins.add(pin)
    return pin
  }

  /** @throws StorageError `LogCorrupt` for a segment whose content does not match its name. */
  async header(number: number): Promise<KnownSegment> {
    const known = this.#headers.get(number)
    if (known !== undefined) return known
    const bytes = await this.using(number, (file) => readUpTo(file, 0, segmentHeaderLength))
    const header = decodeSegmentHeader(bytes, number)
    if (header === undefined) throw segmentDamage(number, 'header', 'has no readable header')
    const found = { ...header, seed: recordSeed(header) }
    this.#headers.set(number, found)
    return found
  }

  /** The end of a segment that has a successor. */
  async endOf(number: number): Promise<number> {
    return (await this.header(number + 1)).previous.offset
  }

  /** The bytes at a place, or `undefined` if reading them needs the thread pool. */
  readSync({ segment, offset, length }: Place, pin?: Pin): Uint8Array | undefined {
    const handle = this.#retiredFor(segment, pin?.generation) ?? this.#handles.get(segment)
    const file = handle?.file
    if (file?.readSync === undefined || length > syncBytesMax) return undefined
    const bytes = new Uint8Array(length)
    for (let size = 0; size < length; ) {
      const bytesRead = file.readSync(bytes, size, length - size, offset + size)
      if (bytesRead === 0) return bytes.subarray(0, size)
      size += bytesRead
    }
    return bytes
  }

  /** The bytes at a place; fewer where the file ends early, which the caller detects by a checksum. */
  async read({ segment, offset, length }: Place, pin: Pin): Promise<Uint8Array> {
    const bytes = await this.#with(this.#handleFor(segment, pin.generation), (file) => readUpTo(file, offset, length))
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Runs `work` with the current file of a segment. */
  using<T>(number: number, work: (file: OpenFile) => Promise<T>): Promise<T> {
    return this.#with(this.#handleFor(number, Number.POSITIVE_INFINITY), work)
  }

  /**
   * Another file takes the segment's name, now or soon. Readers that begin from now on read the new file; readers that
   * began earlier read the file that was passed to `work`.
   */
  retire(number: number): void {
    const handle = this.#handles.get(number)
    if (handle === undefined) return
    this.#handles.delete(number)
    this.#generation++
    handle.retired = this.#generation
    this.#retired.push(handle)
    this.#closeRetired()
  }

  /** The segment will be replaced, and no reader has used it yet. */
  async forget(number: number): Promise<void> {
    const handle = this.#handles.get(number)
    this.#handles.delete(number)
    this.#headers.delete(number)
    if (handle !== undefined) await closeHandle(handle)
  }

  async close(): Promise<void> {
    const handles = [...this.#handles.values(), ...this.#retired.splice(0)]
    this.#handles.clear()
    await allDone(handles.map(closeHandle))
  }

  #handleFor(number: number, generation: number): Handle {
    const old = this.#retiredFor(number, generation)
    if (old !== undefined) return old
    const known = this.#handles.get(number)
    this.#handles.delete(number)
    const handle = known ?? this.#open(number)
    this.#handles.set(number, handle)
    return handle
  }

  /** The replaced file of a segment, for readers that began in that generation. */
  #retiredFor(number: number, generation = Number.POSITIVE_INFINITY): Handle | undefined {
    return this.#retired.find(({ number: each, retired = 0 }) => each === number && generation < retired)
  }

  #open(number: number): Handle {
    const opening = this.#fs.open(segmentPath(this.#directory, number), 'r')
    const handle: Handle = { number, opening, users: 0 }
    opening.then(
      (file) => {
        handle.file = file
      },
      () => {
        if (this.#handles.get(number) === handle) this.#handles.delete(number)
      },
    )
    return handle
  }

  async #with<T>(handle: Handle, work: (file: OpenFile) => Promise<T>): Promise<T> {
    handle.users++
    try {
      return await work(await handle.opening)
    } catch (error) {
      throw named(error, handle.number)
    } finally {
      handle.users--
      this.#closeUnused()
    }
  }

  #closeUnused(): void {
    for (const [number, handle] of this.#handles) {
      if (this.#handles.size <= this.#openMax) break
      if (handle.users > 0) continue
      this.#handles.delete(number)
      void closeHandle(handle)
    }
    this.#closeRetired()
  }

  /** Closes the replaced files that no reader can use any more. */
  #closeRetired(): void {
    if (this.#retired.length === 0) return
    const oldest = Math.min(Number.POSITIVE_INFINITY, ...[...this.#pins].map(({ generation }) => generation))
    const unused = this.#retired.filter(({ users, retired = 0 }) => users === 0 && oldest >= retired)
    for (const handle of unused) {
      this.#retired.splice(this.#retired.indexOf(handle), 1)
      void closeHandle(handle)
    }
  }
}

/** Errors are ignored: nothing was written through the handle, so nothing can be lost. */
const closeHandle = ({ opening }: Handle): Promise<void> => opening.then((file) => file.close()).catch(() => undefined)

/** A lack of file handles fails only this read; a missing segment is damage. */
function named(error: unknown, number: number): unknown {
  const errno = errnoOf(error)
  if (errno === 'EMFILE' || errno === 'ENFILE') {
    return new StorageError('TooManyOpenFiles', 'No file can be opened to read the log.', {
      details: { errno },
      cause: error,
    })
  }
  return errno === 'ENOENT' ? segmentDamage(number, 'missing', 'is missing') : error
}
