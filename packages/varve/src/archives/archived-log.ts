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
  /** The last event that is read. */
  readonly to: Seq
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

  constructor(of: LogOfArchive) {
    this.#of = of
  }

  readonly journal: LogSource['journal'] = {
    head: async () => this.#of.to,
    events: ({ from = 1, to = this.#of.to } = {}): StoredEvents => {
      const pages = (): AsyncGenerator<readonly StoredEvent[]> => this.#pages(from, Math.min(to, this.#of.to))
      return { pages, [Symbol.asyncIterator]: () => single(pages()) }
    },
  }

  /** Those that the archive has are in their place already. */
  readonly blobs: LogSource['blobs'] = {
    open: (id) =>
      Promise.reject(
        new StorageError('BlobMissing', 'The archive does not have these bytes: they were erased before.', {
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
      for await (const archived of new StoreArchiveReader(tar, manifest, hashing).pieces()) {
        const { piece } = archived
        if (piece.facts.from > to) return
        if (piece.facts.to < from) continue
        await this.#bring(archived, from, to)
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
