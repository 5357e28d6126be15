/**
 * Collects what one file of a replica takes: events, and the short bytes and wrapped keys that they brought. All go into blocks as they
 * come, so that little is in memory more than once.
 */
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import { corruptEvent } from '../events/event-codec.ts'
import type { BlobRef, RecordedEvent } from '../events/index.ts'
import type { BlobId, Seq, SideRowKind } from '../ports/index.ts'
import type { BlockPorts } from './block.ts'
import type { PartFacts } from './part-form.ts'
import { replicaFormat } from './replica-files-json.ts'
import { BlockFiller, type PartBlock } from './write-part.ts'

/** What was gathered. */
export interface GatheredPart extends Pick<PartFacts, 'from' | 'to' | 'prev' | 'last' | 'times'> {
  /** In the order of the file. */
  readonly blocks: readonly PartBlock[]
  /** Bytes that are no rows, in the order of the events that brought them. */
  readonly blobs: readonly BlobRef[]
  /** How many rows are not there: they were erased, or are lost. */
  readonly absent: number
  /** Whose they are. */
  readonly absentIds: readonly BlobId[]
  /** The hash of the first event of the log, if it is one of these. */
  readonly store: string | undefined
  /** Whether one of these events may say that bytes are to leave the replica at once. */
  readonly hasRequests: boolean
}

/** A row that an event brought. */
export interface BroughtRow {
  readonly kind: SideRowKind
  readonly id: BlobId
}

export interface GathererOptions {
  readonly from: Seq
  /** The hash of the event before `from`. */
  readonly prev: string
  /** @default 20000 */
  readonly eventsMax?: number | undefined
}

/** A file has not many more events or bytes than these, so that it can be made in memory. */
const defaultEventsMax = 20_000
const bytesMax = 8 * 1024 * 1024

/** What the file says of itself. */
export const factsOf = (
  { from, to, prev, last, times }: GatheredPart,
  of: Pick<PartFacts, 'store' | 'term' | 'absent'>,
): PartFacts => ({ format: replicaFormat, kind: 'log', ...of, from, to, prev, last, times })

export class PartGatherer {
  readonly from: Seq
  /** The hash of the event before `from`. */
  readonly prev: string
  readonly #eventsMax: number
  readonly #events: SealedBlocks
  readonly #rows: Readonly<Record<SideRowKind, SealedBlocks>>
  readonly #blobs: BlobRef[] = []
  #bytes = 0
  #count = 0
  readonly #absentIds: BlobId[] = []
  #times: readonly [number, number] | undefined
  #hasRequests = false

  constructor(ports: BlockPorts, { from, prev, eventsMax = defaultEventsMax }: GathererOptions) {
    this.#eventsMax = eventsMax
    this.from = from
    this.prev = prev
    this.#events = new SealedBlocks(ports, 'events')
    this.#rows = { inline: new SealedBlocks(ports, 'inline'), keys: new SealedBlocks(ports, 'keys') }
  }

  get isFull(): boolean {
    return this.#count >= this.#eventsMax || this.#bytes >= bytesMax
  }

  /** The next event. Returns the rows that it brought, which are to be added too. */
  add(event: RecordedEvent, bytes: Uint8Array): readonly BroughtRow[] {
    this.#events.addEvent(event.seq, bytes)
    this.#count++
    this.#bytes += bytes.length
    this.#times = [this.#times?.[0] ?? event.at, event.at]
    if (event.type === 'ErasureRequested' || event.type === 'ContentsErased') this.#hasRequests = true
    const brought = broughtBlob(event)
    return brought === undefined ? noRows : this.#rowsOf(brought)
  }

  #rowsOf({ id, content: { blob, sealed } }: Brought): readonly BroughtRow[] {
    const rows: BroughtRow[] = []
    if (blob.inline) {
      this.#bytes += blob.size
      rows.push({ kind: 'inline', id })
    } else this.#blobs.push(blob)
    if (sealed !== undefined) rows.push({ kind: 'keys', id })
    return rows
  }

  /** `value`: `undefined` if it was erased. */
  addRow({ kind, id }: BroughtRow, value: Uint8Array | undefined): void {
    if (value === undefined) this.#absentIds.push(id)
    else this.#rows[kind].addRow(id, value)
  }

  /**
   * `hashes`: of the last event, and of the first one of the log if it is one of these.
   * @throws StorageError `LogCorrupt` if there are no events
   */
  async end(hashes: { readonly last: string; readonly store: string | undefined }): Promise<GatheredPart> {
    const { from, prev } = this
    const times = this.#times
    if (times === undefined) throw corruptEvent(from, 'gap')
    const blocks = [...this.#events.end(), ...this.#rows.inline.end(), ...this.#rows.keys.end()]
    return {
      from,
      to: from + this.#count - 1,
      prev,
      ...hashes,
      times,
      blocks: await Promise.all(blocks),
      blobs: this.#blobs,
      absent: this.#absentIds.length,
      absentIds: this.#absentIds,
      hasRequests: this.#hasRequests,
    }
  }
}

const noRows: readonly BroughtRow[] = []

/** Blocks of one kind. A full one is sealed at once, and awaited at the end. */
class SealedBlocks {
  readonly #filler: BlockFiller
  readonly #blocks: Promise<PartBlock>[] = []

  constructor(ports: BlockPorts, kind: 'events' | SideRowKind) {
    this.#filler = new BlockFiller(ports, kind)
  }

  addEvent(seq: Seq, bytes: Uint8Array): void {
    if (this.#filler.addEvent(seq, bytes)) this.#seal()
  }

  addRow(id: BlobId, bytes: Uint8Array): void {
    if (this.#filler.addRow(id, bytes)) this.#seal()
  }

  end(): readonly Promise<PartBlock>[] {
    if (!this.#filler.isEmpty) this.#seal()
    return this.#blocks
  }

  #seal(): void {
    const block = this.#filler.block()
    // The end of the part throws what fails here. Node would report it as unhandled before.
    block.catch(() => undefined)
    this.#blocks.push(block)
  }
}
