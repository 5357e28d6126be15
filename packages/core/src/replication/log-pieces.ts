/**
 * A log in pieces that follow each other, for a medium that is written once from its beginning to its end. A piece is a file as replicas have
 * them, with the blobs that its events brought behind it.
 */
import { concatBytes } from '../bytes/bytes.ts'
import { isSealed } from '../bytes/frame.ts'
import { corrupt } from '../content/blob-reader.ts'
import { decodeEvent, corruptEvent, type DecodedEvent } from '../events/event-codec.ts'
import type { BlobRef } from '../events/index.ts'
import { type Brought, type BroughtBlob, broughtBlob } from '../events/brought-blob.ts'
import type { BlobId, Hashing, Journal, ReplicaFiles, Seq, SideRowKind } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import type { BlockPorts } from './block.ts'
import { gatherPart } from './gather-part.ts'
import type { PartFacts } from './part-form.ts'
import { factsOf } from './part-gatherer.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { partName } from './replica-names.ts'
import { StoredPart } from './stored-part.ts'
import { partBytes } from './write-part.ts'

/** The only term of such a log. */
const term = 1

/** Events of a log that is written to one file after the other, with what they brought. */
export interface LogPiece {
  readonly name: string
  readonly bytes: Uint8Array
  readonly from: Seq
  readonly to: Seq
  /** In the order of the events that brought them. Some may have been erased. */
  readonly blobs: readonly BlobRef[]
  /** How many short bytes and wrapped keys are not there: they were erased, or are lost. */
  readonly absent: number
  /** Whose they are. */
  readonly absentIds: readonly BlobId[]
}

interface PieceSource {
  readonly journal: Pick<Journal, 'events' | 'getMany'>
  readonly ports: BlockPorts
  readonly hashing: Hashing
  /** The last event. */
  readonly to: Seq
  /** Whose rows are left out. @default none */
  readonly leftOut?: ReadonlySet<BlobId>
}

/** Each piece is made when it is requested, in memory. @throws StorageError `LogCorrupt`; what the journal throws */
export async function* logPieces({ journal, ports, hashing, to, leftOut }: PieceSource): AsyncGenerator<LogPiece> {
  let [from, prev, store] = [1, '', '']
  while (from <= to) {
    const gathered = await gatherPart({ journal, hashing, ports, from, to, prev, leftOut })
    store = gathered.store ?? store
    const { absent, absentIds, blobs } = gathered
    const facts = factsOf(gathered, { store, term, absent })
    const chunks: Uint8Array[] = []
    for await (const chunk of partBytes(ports, facts, gathered.blocks)) chunks.push(chunk)
    yield { name: pieceName(from), bytes: concatBytes(chunks), from, to: facts.to, blobs, absent, absentIds }
    from = facts.to + 1
    prev = facts.last
  }
}

/** The name of the piece that begins at a position. */
export const pieceName = (from: Seq): string => partName({ kind: 'log', level: 0, from, term })

/** Where a piece must begin: behind the one before. */
export interface PieceStart {
  readonly from: Seq
  /** The hash of the event before; empty for the first one. */
  readonly prev: string
  /** The hash of the first event; empty for the first piece. */
  readonly store: string
}

interface PieceContent extends Pick<ReadPiece, 'absentIds' | 'brought' | 'events' | 'stored'> {
  readonly rows: ReadonlyMap<string, Uint8Array>
}

/** A piece whose events are checked, and linked to those before. */
export class ReadPiece {
  readonly facts: PartFacts
  readonly events: readonly DecodedEvent[]
  /** The events as they are stored, in the same order. */
  readonly stored: readonly Uint8Array[]
  /** What its events brought, in their order. */
  readonly brought: readonly Brought[]
  /** Whose rows it does not have, of those that its events brought: once for each row. They were erased, or are lost. */
  readonly absentIds: readonly BlobId[]
  /** Where the next piece begins. */
  readonly next: PieceStart
  readonly #rows: ReadonlyMap<string, Uint8Array>

  /** @throws StorageError `ReplicaCorrupt`, `LogCorrupt`, `UnsupportedFormat` */
  static async read(
    { hashing, ...ports }: BlockPorts & { readonly hashing: Hashing },
    bytes: Uint8Array,
    start: PieceStart,
  ): Promise<ReadPiece> {
    const name = pieceName(start.from)
    const part = await StoredPart.open({ ...ports, hashing, files: onlyFile(bytes) }, { name, size: bytes.length })
    const { facts } = part
    if (facts.prev !== start.prev || (start.store !== '' && facts.store !== start.store)) throw misplaced(name)
    const { events, stored } = await chainedEvents(part, hashing, start.prev)
    if ((events.at(-1)?.hash ?? start.prev) !== facts.last || (facts.from === 1 && events[0]?.hash !== facts.store))
      throw misplaced(name)
    const rows = await rowsOf(part)
    const brought = events.flatMap(({ event }) => broughtBlob(event) ?? [])
    return new ReadPiece(facts, { events, stored, rows, brought, absentIds: checkRows(hashing, rows, brought) })
  }

  private constructor(facts: PartFacts, { events, stored, brought, absentIds, rows }: PieceContent) {
    this.facts = facts
    this.events = events
    this.stored = stored
    this.brought = brought
    this.absentIds = absentIds
    this.#rows = rows
    this.next = { from: facts.to + 1, prev: facts.last, store: facts.store }
  }

  row(kind: SideRowKind, { id }: Pick<BroughtBlob, 'id'>): Uint8Array | undefined {
    return this.#rows.get(placeOf(kind, id))
  }
}

const placeOf = (kind: SideRowKind, id: BlobId): string => `${kind} ${id}`

/** Whose rows are not there. @throws StorageError `BlobCorrupt` */
function checkRows(
  hashing: Hashing,
  rows: ReadonlyMap<string, Uint8Array>,
  brought: readonly Brought[],
): readonly BlobId[] {
  const absent: BlobId[] = []
  for (const { id, content } of brought) {
    const kinds: SideRowKind[] = []
    if (content.blob.inline) kinds.push('inline')
    if (content.sealed !== undefined) kinds.push('keys')
    for (const kind of kinds) {
      const row = rows.get(placeOf(kind, id))
      if (row === undefined) absent.push(id)
      else if (!isSealed(hashing, sideRowKey(kind, id), row)) throw corrupt(content.blob, 'checksum')
    }
  }
  return absent
}

const onlyFile = (bytes: Uint8Array): ReplicaFiles => ({
  create: async () => false,
  read: async (_name, { start, end } = { start: 0, end: bytes.length }) => bytes.subarray(start, end),
  async *list() {},
  delete: async () => undefined,
})

const misplaced = (name: string) =>
  replicaCorrupt('place', `The piece ${name} of the log is not the one that follows those before.`, name)

/** @throws StorageError `LogCorrupt` if an event does not continue the one before */
async function chainedEvents(
  part: StoredPart,
  hashing: Hashing,
  start: string,
): Promise<{ readonly events: readonly DecodedEvent[]; readonly stored: readonly Uint8Array[] }> {
  const events: DecodedEvent[] = []
  const stored: Uint8Array[] = []
  let prev = start
  for await (const page of part.events(part.facts.from, part.facts.to)) {
    for (const event of page) {
      const decoded = decodeEvent(hashing, event)
      if (decoded.event.prev !== prev) throw corruptEvent(event.seq, 'chain')
      prev = decoded.hash
      events.push(decoded)
      stored.push(event.bytes)
    }
  }
  return { events, stored }
}

async function rowsOf(part: StoredPart): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = new Map<string, Uint8Array>()
  for (const entry of part.entries) {
    if (entry.kind === 'events' || entry.kind === 'views') continue
    for (const row of await part.rows(entry)) rows.set(placeOf(entry.kind, row.id), row.bytes)
  }
  return rows
}
