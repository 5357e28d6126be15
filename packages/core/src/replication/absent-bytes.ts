/**
 * Bytes of a log that are not there, until an event says that they were erased, or that no version ever had them: such bytes are not copied,
 * and nothing can read them.
 */
import type { RecordedEvent } from '../events/index.ts'
import type { BlobId, Seq } from '../ports/index.ts'

/** Collects absent bytes, and forgets those that an event explains. Give it the events in the order of the log. */
export class AbsentBytes {
  readonly #ids: Set<BlobId>
  /** Of absent parts: by upload and number. */
  readonly #parts = new Map<Seq, Map<number, BlobId>>()

  constructor(ids: Iterable<BlobId> = []) {
    this.#ids = new Set(ids)
  }

  /** Those that no event has explained yet. */
  get ids(): readonly BlobId[] {
    return [...this.#ids]
  }

  get size(): number {
    return this.#ids.size
  }

  add(id: BlobId): void {
    this.#ids.add(id)
  }

  explain(id: BlobId | undefined): void {
    if (id !== undefined) this.#ids.delete(id)
  }

  /** Takes the events in their order, each when the absent bytes that it brought were added. */
  take({ type, data }: RecordedEvent): void {
    if (type === 'PartAdded') this.#takePart(data)
    if (type === 'UploadAborted') for (const id of this.#partsOf(data.upload).values()) this.explain(id)
    if (type === 'UploadCompleted')
      for (const number of data.unused) this.explain(this.#partsOf(data.upload).get(number))
    if (type !== 'ContentsErased') return
    for (const { content, partNumbers = [] } of data.erased) {
      if (content.kind === 'blob') this.explain(content.blob.id)
      if (content.kind === 'parts')
        for (const number of partNumbers) this.explain(this.#partsOf(content.upload).get(number))
    }
  }

  #takePart({ upload, partNumber, content }: RecordedEvent<'PartAdded'>['data']): void {
    const parts = this.#partsOf(upload)
    this.explain(parts.get(partNumber))
    parts.delete(partNumber)
    if (content.kind !== 'blob' || !this.#ids.has(content.blob.id)) return
    parts.set(partNumber, content.blob.id)
    this.#parts.set(upload, parts)
  }

  #partsOf(upload: Seq): Map<number, BlobId> {
    return this.#parts.get(upload) ?? new Map<number, BlobId>()
  }
}
