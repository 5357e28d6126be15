/**
 * The log in an archive as the source of a copy. The archive is read from its beginning to its end: the blobs of an event are written
 * to their place before the event is given out, so nothing has to be found again.
 */
import {
  type BlobStore,
  type BroughtBlob,
  type Hashing,
  isBlobThere,
  type LogSource,
  type ReadPiece,
  type Seq,
  type SideRowKind,
  StorageError,
  type StoredEvent,
  type StoredEvents,
} from '@varve/core'
import { openArchive } from './open-archive.ts'
import { abortable, bytesOf } from './source-bytes.ts'
import { type ArchivedPiece, StoreArchiveReader } from './store-archive-reader.ts'

interface LogOfArchive {
  readonly path: string
  /** Where the blobs are written. */
  readonly blobs: BlobStore
  readonly hashing: Hashing
  /** The last event that is wanted. Bytes of later ones are not written. */
  readonly to: Seq
  /** The last event of the archive. */
  readonly head: Seq
  readonly signal: AbortSignal | undefined
}

/** A copier asks for the rows of so many events at once, at most. */
const eventsHeld = 1000

export class ArchivedLog implements LogSource {
  readonly #of: LogOfArchive
  /** Pieces with the events that were given out last. */
  readonly #held: ReadPiece[] = []
  /** What was written. */
  readonly written = { blobs: 0, bytes: 0 }
  /** Of how many absent bytes the archive knows that they were erased, without the event. 0 until it was read to its end. */
  excused = 0

  constructor(of: LogOfArchive) {
    this.#of = of
  }

  readonly journal: LogSource['journal'] = {
    head: async () => this.#of.head,
    events: ({ from = 1, to = this.#of.head } = {}): StoredEvents => {
      const pages = (): AsyncGenerator<readonly StoredEvent[]> => this.#pages(from, Math.min(to, this.#of.head))
      return { pages, [Symbol.asyncIterator]: () => single(pages()) }
    },
  }

  /** Those that the archive has are in their place already. */
  readonly blobs: LogSource['blobs'] = {
    open: (id) =>
      Promise.reject(
        new StorageError('BlobMissing', 'The archive does not have these bytes.', {
          details: { blob: id },
        }),
      ),
  }

  async sideRows(kind: SideRowKind, wanted: readonly BroughtBlob[]): Promise<readonly (Uint8Array | undefined)[]> {
    return wanted.map((blob) =>
      this.#held.find(({ facts }) => facts.from <= blob.seq && blob.seq <= facts.to)?.row(kind, blob),
    )
  }

  async *#pages(from: Seq, to: Seq): AsyncGenerator<readonly StoredEvent[]> {
    const { path, hashing, signal } = this.#of
    const { tar, manifest } = await openArchive(abortable(bytesOf(path), signal))
    try {
      if (manifest.contents !== 'store') throw noStore()
      const pieces = new StoreArchiveReader(tar, manifest, hashing).pieces()
      for (let next = await pieces.next(); ; next = await pieces.next()) {
        if (next.done === true) {
          this.excused = next.value.excused
          return
        }
        const archived = next.value
        const { piece } = archived
        if (piece.facts.from > to) return
        if (piece.facts.to < from) continue
        await this.#bring(archived, from, Math.min(to, this.#of.to))
        this.#hold(piece)
        const first = piece.facts.from
        const events = piece.stored.map((bytes, i): StoredEvent => ({ seq: first + i, bytes }))
        yield events.filter(({ seq }) => seq >= from && seq <= to)
      }
    } finally {
      await tar.close()
    }
  }

  async #bring({ blobs }: Pick<ArchivedPiece, 'blobs'>, from: Seq, to: Seq): Promise<void> {
    const { blobs: into, signal } = this.#of
    for await (const { seq, blob, body } of blobs) {
      if (seq < from || seq > to || (await isBlobThere(into, blob))) continue
      await into.write(blob.id, body, signal)
      this.written.blobs++
      this.written.bytes += blob.size
    }
  }

  #hold(piece: ReadPiece): void {
    this.#held.push(piece)
    while ((this.#held[0]?.facts.to ?? 0) < piece.facts.from - eventsHeld) this.#held.shift()
  }
}

async function* single(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<StoredEvent> {
  for await (const page of pages) yield* page
}

export const noStore = (): StorageError =>
  new StorageError('InvalidArgument', 'The archive has a bucket, and not a whole store: import it into a store.', {
    details: { ArgumentName: 'from', kind: 'bucket' },
  })
