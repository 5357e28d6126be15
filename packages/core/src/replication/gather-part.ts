/**
 * Gathers what one file of a replica takes: the next events of the log, and the short bytes and wrapped keys that they brought. Both go into
 * blocks as they are read, so that little is in memory more than once.
 */
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import { corruptEvent, decodeEvent } from '../events/event-codec.ts'
import type { BlobRef, RecordedEvent } from '../events/index.ts'
import { linkedPages } from '../events/log.ts'
import type { BlobId, Hashing, Journal, Seq, SideRowKind, StoredEvent } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
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
  /** How many rows are not there: they were erased. */
  readonly absent: number
  /** The hash of the first event of the log, if it is one of these. */
  readonly store: string | undefined
  /** Whether somebody had bytes erased with one of these events. */
  readonly hasRequests: boolean
}

/** What is to be gathered. */
export interface Gathering {
  readonly journal: Pick<Journal, 'events' | 'getMany'>
  readonly hashing: Hashing
  readonly ports: BlockPorts
  readonly from: Seq
  /** The last event that there is. */
  readonly to: Seq
  /** The hash of the event before `from`. */
  readonly prev: string
}

/** A file has not many more events or bytes than these, so that it can be made in memory. */
const eventsMax = 20_000
const bytesMax = 8 * 1024 * 1024
/** So many rows are read at once. */
const rowsAtOnce = 256

/** @throws StorageError `LogCorrupt` */
export async function gatherPart(gathering: Gathering): Promise<GatheredPart> {
  const { journal, hashing, from, to, prev } = gathering
  const part = new PartGatherer(gathering)
  const decode = (stored: StoredEvent) => ({ ...decodeEvent(hashing, stored), stored })
  for await (const page of linkedPages(journal, decode, { from, to, prev })) {
    for (const { event, hash, stored } of page) part.add(event, hash, stored)
    await part.fill()
    if (part.isFull) break
  }
  return part.end()
}

/** What the file says of itself. */
export const factsOf = (
  { from, to, prev, last, times }: GatheredPart,
  of: Pick<PartFacts, 'store' | 'term' | 'absent'>,
): PartFacts => ({ format: replicaFormat, kind: 'log', ...of, from, to, prev, last, times })

class PartGatherer {
  readonly #gathering: Gathering
  readonly #filler: BlockFiller
  readonly #blocks: PartBlock[] = []
  readonly #inline: RowGatherer
  readonly #keys: RowGatherer
  readonly #blobs: BlobRef[] = []
  #bytes = 0
  #count = 0
  #first: Link | undefined
  #last: Link | undefined
  #hasRequests = false

  constructor(gathering: Gathering) {
    this.#gathering = gathering
    this.#filler = new BlockFiller(gathering.ports, 'events')
    this.#inline = new RowGatherer(gathering, 'inline')
    this.#keys = new RowGatherer(gathering, 'keys')
  }

  get isFull(): boolean {
    return this.#count >= eventsMax || this.#bytes >= bytesMax
  }

  /** The next event. */
  add(event: RecordedEvent, hash: string, stored: StoredEvent): void {
    this.#filler.addEvent(stored.seq, stored.bytes)
    this.#count++
    this.#bytes += stored.bytes.length
    this.#last = { hash, at: event.at }
    this.#first ??= this.#last
    if (event.type === 'ErasureRequested') this.#hasRequests = true
    const brought = broughtBlob(event)
    if (brought !== undefined) this.#addBrought(brought)
  }

  #addBrought({ id, content: { blob, sealed } }: Brought): void {
    if (blob.inline) {
      this.#bytes += blob.size
      this.#inline.add(id)
    } else this.#blobs.push(blob)
    if (sealed !== undefined) this.#keys.add(id)
  }

  /** Makes blocks of what was added, as far as there is enough for some. */
  async fill(): Promise<void> {
    if (this.#filler.isFull) this.#blocks.push(await this.#filler.block())
    await this.#inline.fill()
    await this.#keys.fill()
  }

  /** @throws StorageError `LogCorrupt` if there are no events */
  async end(): Promise<GatheredPart> {
    const { from, prev } = this.#gathering
    const [first, last] = [this.#first, this.#last]
    if (first === undefined || last === undefined) throw corruptEvent(from, 'gap')
    if (!this.#filler.isEmpty) this.#blocks.push(await this.#filler.block())
    return {
      from,
      to: from + this.#count - 1,
      prev,
      last: last.hash,
      times: [first.at, last.at],
      blocks: [...this.#blocks, ...(await this.#inline.end()), ...(await this.#keys.end())],
      blobs: this.#blobs,
      absent: this.#inline.absent + this.#keys.absent,
      store: from === 1 ? first.hash : undefined,
      hasRequests: this.#hasRequests,
    }
  }
}

interface Link {
  readonly hash: string
  readonly at: number
}

/** Reads rows, some at once, and makes blocks of them. */
class RowGatherer {
  absent = 0
  readonly #journal: Pick<Journal, 'getMany'>
  readonly #kind: SideRowKind
  readonly #filler: BlockFiller
  readonly #blocks: PartBlock[] = []
  #ids: BlobId[] = []

  constructor({ journal, ports }: Gathering, kind: SideRowKind) {
    this.#journal = journal
    this.#kind = kind
    this.#filler = new BlockFiller(ports, kind)
  }

  add(id: BlobId): void {
    this.#ids.push(id)
  }

  async fill(): Promise<void> {
    if (this.#ids.length >= rowsAtOnce) await this.#read()
  }

  async end(): Promise<readonly PartBlock[]> {
    if (this.#ids.length > 0) await this.#read()
    if (!this.#filler.isEmpty) this.#blocks.push(await this.#filler.block())
    return this.#blocks
  }

  async #read(): Promise<void> {
    const ids = this.#ids
    this.#ids = []
    const values = await this.#journal.getMany(ids.map((id) => sideRowKey(this.#kind, id)))
    for (const [at, id] of ids.entries()) {
      const value = values[at]
      if (value === undefined) this.absent++
      else if (this.#filler.addRow(id, value)) this.#blocks.push(await this.#filler.block())
    }
  }
}
