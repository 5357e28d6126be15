/** Reads a replica as the source of a copy: its log, with the bytes that the events brought. */
import { isStorageError, StorageError } from '../base/errors.ts'
import type { BroughtBlob } from '../events/brought-blob.ts'
import type { BlobId, BlobStore, Seq, SideRowKind, StoredEvent, StoredEvents } from '../ports/index.ts'
import type { LogSource, SourceViews } from '../repair/log-source.ts'
import type { PartEntry, PartFacts } from './part-form.ts'
import { lookAgain, Looks } from './looks.ts'
import { isGoneFile } from './replica-corrupt.ts'
import type { LinePart, LinePiece } from './replica-line.ts'
import { parsePartName, revisionName } from './replica-names.ts'
import { readReplicaState, type ReplicaState } from './replica-state.ts'
import { idsOf, type PartPorts, StoredPart } from './stored-part.ts'
import { storedViews } from './stored-views.ts'

/** The parts of a replica: its files and its blobs, and what reads them. */
export interface ReplicaPorts extends PartPorts {
  /** The blobs of the replica. */
  readonly blobs: BlobStore
}

/** So many files are kept open: those around the position that is copied. */
const openMax = 4

/** A piece of the log, and what its file says of itself. */
export interface StatedPiece extends LinePiece {
  readonly facts: PartFacts
}

interface ReaderOptions {
  /** A file that was read to find the state. */
  readonly read?: StoredPart
  /** Looks at the files again when one is gone. `undefined`: it is not known what counts, and the file stays gone. @default all that is there */
  readonly look?: () => Promise<ReplicaState | undefined>
}

/**
 * A source of `copyLog`: the log of a replica, as it was when its state was read. Its writer joins files meanwhile: where one is gone,
 * the reader looks at the files again, and goes on.
 */
export class ReplicaReader implements LogSource {
  #state: ReplicaState
  readonly blobs: Pick<BlobStore, 'open'>
  #withheld: ReadonlySet<BlobId> = new Set()
  readonly #ports: ReplicaPorts
  readonly #look: () => Promise<ReplicaState | undefined>
  /** In the order of their last use. */
  readonly #open = new Map<string, Promise<OpenPart>>()

  constructor(ports: ReplicaPorts, state: ReplicaState, { read, look }: ReaderOptions = {}) {
    this.#ports = ports
    this.#look = look ?? (() => readReplicaState(ports))
    this.blobs = {
      open: async (id) => (this.#withheld.has(id) ? Promise.reject(withheldBytes(id)) : ports.blobs.open(id)),
    }
    this.#state = state
    if (read !== undefined) this.#open.set(read.name, Promise.resolve(new OpenPart(read)))
  }

  /** The files, as they were when they were last looked at. */
  get state(): ReplicaState {
    return this.#state
  }

  /** Bytes to treat as erased, though they may be there. */
  get withheld(): ReadonlySet<BlobId> {
    return this.#withheld
  }

  /** Treats these bytes as erased from now on. */
  withhold(ids: ReadonlySet<BlobId>): void {
    this.#withheld = ids
  }

  /**
   * The last event.
   * @throws StorageError `ReplicaCorrupt` if there is a damaged file behind it, which can have events that were counted as written
   */
  end(): Seq {
    const [damage] = this.state.damaged
    if (damage !== undefined) throw damage
    return this.state.head
  }

  readonly journal: LogSource['journal'] = {
    head: async () => this.state.head,
    events: ({ from = 1, to = this.state.head } = {}): StoredEvents => {
      const pages = (): AsyncGenerator<readonly StoredEvent[]> => this.#pages(from, Math.min(to, this.state.head))
      return { pages, [Symbol.asyncIterator]: () => single(pages()) }
    },
  }

  /** @throws StorageError `ReplicaCorrupt`. Rows that no file has are `undefined`. */
  async sideRows(kind: SideRowKind, wanted: readonly BroughtBlob[]): Promise<readonly (Uint8Array | undefined)[]> {
    const values: (Uint8Array | undefined)[] = []
    for (const blob of wanted) values.push(await this.#row(kind, blob))
    return values
  }

  views(to: Seq): AsyncIterable<SourceViews> {
    return storedViews(this.#ports, to)
  }

  /** The pieces of the log, and what their files say of themselves. @throws StorageError `ReplicaCorrupt`, `UnsupportedFormat` */
  pieces(): Promise<readonly StatedPiece[]> {
    return this.#untilThere(async () => {
      const stated: StatedPiece[] = []
      for (const piece of this.#state.log) {
        stated.push({ ...piece, facts: (await StoredPart.open(this.#ports, piece.part)).facts })
      }
      return stated
    })
  }

  /** A row of a blob that some event brought: looks into all files, and keeps none of them in memory. @throws StorageError `ReplicaCorrupt` */
  async findRow(kind: SideRowKind, id: BlobId): Promise<Uint8Array | undefined> {
    const own = this.state.log.flatMap(({ part }) => (part.level === 0 ? [part] : []))
    for (const file of [...this.state.rows, ...own]) {
      const part = await StoredPart.open(this.#ports, file)
      const entry = part.entries.find((one) => one.kind === kind && idsOf(one).includes(id))
      const row = entry && (await part.rows(entry)).find((one) => one.id === id)
      if (row !== undefined) return row.bytes
    }
    return undefined
  }

  async *#pages(from: Seq, to: Seq): AsyncGenerator<readonly StoredEvent[]> {
    const looks = new Looks()
    let next = from
    while (next <= to) {
      try {
        for await (const page of this.#pagesNow(next, to)) {
          yield page
          next = (page.at(-1)?.seq ?? next - 1) + 1
          looks.reset()
        }
        return
      } catch (error) {
        if (!looks.mayPass(error)) throw error
        await this.#lookAgain(error)
      }
    }
  }

  async *#pagesNow(from: Seq, to: Seq): AsyncGenerator<readonly StoredEvent[]> {
    for (const piece of this.#state.log) {
      if (piece.to < from || piece.from > to) continue
      const { part } = await this.#opened(piece.part)
      yield* part.events(Math.max(from, piece.from), Math.min(to, piece.to))
    }
  }

  /** @throws the error that a file is gone with, if it stays gone */
  async #lookAgain(gone: StorageError): Promise<void> {
    this.#open.clear()
    const state = await this.#look()
    if (state === undefined) throw gone
    if (state.store === this.#state.store && state.head >= this.#state.head) this.#state = state
  }

  async #row(kind: SideRowKind, brought: BroughtBlob): Promise<Uint8Array | undefined> {
    if (this.#withheld.has(brought.id)) return undefined
    return this.#untilThere(() => this.#rowNow(kind, brought))
  }

  #untilThere<T>(read: () => Promise<T>): Promise<T> {
    return lookAgain(read, (gone) => this.#lookAgain(gone))
  }

  /** What one file has damaged, another one may have. */
  async #rowNow(kind: SideRowKind, { seq, id }: BroughtBlob): Promise<Uint8Array | undefined> {
    let failure: StorageError | undefined
    for (const part of this.#partsWith(seq)) {
      try {
        const value = await (await this.#opened(part)).row(kind, id)
        if (value !== undefined) return value
      } catch (error) {
        if (!isStorageError(error, 'ReplicaCorrupt')) throw error
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
    return undefined
  }

  /** The files that can have the bytes that an event brought. */
  #partsWith(seq: Seq): readonly LinePart[] {
    const own = this.state.log.find(({ from, to }) => from <= seq && seq <= to)?.part
    const rows = this.state.rows.filter(({ from, to }) => from <= seq && seq <= to)
    return own?.level === 0 ? [own, ...rows] : rows
  }

  /** A file of level 0 has events and rows, so it is read once for both. */
  #opened(part: LinePart): Promise<OpenPart> {
    const opening = this.#open.get(part.name) ?? openNewest(this.#ports, part).then((stored) => new OpenPart(stored))
    this.#open.delete(part.name)
    this.#open.set(part.name, opening)
    // One that could not be read is tried again.
    opening.catch(() => this.#open.delete(part.name))
    for (const name of this.#open.keys()) {
      if (this.#open.size <= openMax) break
      this.#open.delete(name)
    }
    return opening
  }
}

const withheldBytes = (blob: BlobId): StorageError =>
  new StorageError('BlobMissing', 'These bytes were erased.', { details: { blob } })

/** Rows may have been taken out of the file since it was listed, so that a later revision has taken its place. */
async function openNewest(ports: PartPorts, part: LinePart): Promise<StoredPart> {
  try {
    return await StoredPart.open(ports, part)
  } catch (error) {
    const later = isGoneFile(error) ? await laterRevision(ports, part) : undefined
    if (later === undefined) throw error
    return StoredPart.open(ports, later)
  }
}

async function laterRevision(ports: PartPorts, part: LinePart) {
  let last: { readonly name: string; readonly size: number } | undefined
  for await (const file of ports.files.list(revisionName(part))) {
    const { revision = 0 } = parsePartName(file.name) ?? {}
    if (revision > (part.revision ?? 0)) last = file
  }
  return last
}

async function* single(pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<StoredEvent> {
  for await (const page of pages) yield* page
}

/** A file, and where its rows are. The block of rows that was read last stays in memory. */
class OpenPart {
  readonly part: StoredPart
  readonly #places = new Map<string, PartEntry>()
  #block: { readonly entry: PartEntry; readonly rows: ReadonlyMap<string, Uint8Array> } | undefined

  constructor(part: StoredPart) {
    this.part = part
    for (const entry of part.entries) {
      if (entry.kind === 'events' || entry.kind === 'views') continue
      for (const id of idsOf(entry)) this.#places.set(placeOf(entry.kind, id), entry)
    }
  }

  async row(kind: SideRowKind, id: string): Promise<Uint8Array | undefined> {
    const entry = this.#places.get(placeOf(kind, id))
    if (entry === undefined) return undefined
    if (this.#block?.entry !== entry) {
      const rows = await this.part.rows(entry)
      this.#block = { entry, rows: new Map(rows.map((row) => [row.id, row.bytes])) }
    }
    return this.#block?.rows.get(id)
  }
}

const placeOf = (kind: SideRowKind, id: string): string => `${kind} ${id}`
