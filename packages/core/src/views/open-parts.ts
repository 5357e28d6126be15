/**
 * Caches the facts that completing an upload needs of its parts while the upload is open, so that ten thousand part
 * rows are not read and parsed within one commit.
 *
 * Invariant: a cached upload was started while this cache received every commit, so all of its parts are cached. An
 * upload that was dropped is never cached again. Only the commit writer reads the cache, between commits: all of it is
 * committed.
 */
import type { RecordedEvent } from '../events/index.ts'
import type { CacheTally } from '../observing/cache-tally.ts'
import type { Seq } from '../ports/index.ts'
import type { PartRow } from './rows.ts'

export type PartFacts = Pick<PartRow, 'size' | 'etag' | 'checksum' | 'defaultChecksum'>
export type PartsByNumber = ReadonlyMap<number, PartFacts>

interface OpenUpload {
  readonly parts: Map<number, PartFacts>
  bytes: number
}

/** The approximate size of a part: an object, a map entry and its ETag, in bytes. */
const partBytes = 200
const checksumBytes = 120
const uploadBytes = 300

export class OpenParts {
  readonly #bytesMax: number
  readonly #tally: CacheTally | undefined
  /** In the order of their last change; the last changed one is the last. */
  readonly #uploads = new Map<Seq, OpenUpload>()
  #bytes = 0

  /** `bytesMax`: the approximate size of the cache in bytes; 0 keeps nothing. */
  constructor(bytesMax: number, tally?: CacheTally) {
    this.#bytesMax = bytesMax
    this.#tally = tally
  }

  /** Call it with every event once it is committed, in order. */
  committed(event: RecordedEvent): void {
    if (event.type === 'UploadStarted') this.#keep(event.seq, { parts: new Map(), bytes: uploadBytes })
    else if (event.type === 'PartAdded') this.#add(event.data)
    else if (event.type === 'UploadCompleted' || event.type === 'UploadAborted') this.#forget(event.data.upload)
  }

  /** All parts of an upload in the order of their numbers, or `undefined` if they must be read from the journal. */
  of(upload: Seq): PartsByNumber | undefined {
    const parts = this.#uploads.get(upload)?.parts
    this.#tally?.count(parts !== undefined)
    return parts && new Map([...parts].sort(([a], [b]) => a - b))
  }

  #add({ upload, partNumber, ...part }: RecordedEvent<'PartAdded'>['data']): void {
    const { size, etag, checksum, defaultChecksum } = part
    const open = this.#forget(upload)
    if (open === undefined) return
    if (!open.parts.has(partNumber)) open.bytes += partBytes + (checksum === undefined ? 0 : checksumBytes)
    open.parts.set(partNumber, {
      size,
      etag,
      ...(checksum && { checksum }),
      ...(defaultChecksum && { defaultChecksum }),
    })
    this.#keep(upload, open)
  }

  #keep(upload: Seq, open: OpenUpload): void {
    this.#uploads.set(upload, open)
    this.#bytes += open.bytes
    for (const oldest of this.#uploads.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.#forget(oldest)
    }
  }

  #forget(upload: Seq): OpenUpload | undefined {
    const open = this.#uploads.get(upload)
    if (open === undefined) return undefined
    this.#uploads.delete(upload)
    this.#bytes -= open.bytes
    return open
  }
}
