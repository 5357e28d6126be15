/** Bytes of a log that are not there, until an event says that they were erased. */
import type { RecordedEvent } from '../events/index.ts'
import type { BlobId, Seq } from '../ports/index.ts'

export class AbsentBytes {
  readonly #ids: Set<BlobId>
  readonly #parts = new Map<string, BlobId>()

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
    if (type === 'PartAdded' && data.content.kind === 'blob' && this.#ids.has(data.content.blob.id))
      this.#parts.set(partOf(data.upload, data.partNumber), data.content.blob.id)
    if (type !== 'ContentsErased') return
    for (const { content, partNumbers = [] } of data.erased) {
      if (content.kind === 'blob') this.explain(content.blob.id)
      if (content.kind === 'parts')
        for (const number of partNumbers) this.explain(this.#parts.get(partOf(content.upload, number)))
    }
  }
}

const partOf = (upload: Seq, partNumber: number): string => `${upload}/${partNumber}`
