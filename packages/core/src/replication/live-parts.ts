/**
 * Gathers what this process commits, as it is committed, for the next files of a replica. A writer that keeps up reads nothing from the
 * journal. What is not here (what others committed, or what came while too much was waiting) is read from there.
 */
import { sameBytes } from '../bytes/bytes.ts'
import type { StoreCommit } from '../engine/known-log.ts'
import type { RowChange, Seq, Tip } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import type { BlockPorts } from './block.ts'
import { type BroughtRow, type GatheredPart, type GathererOptions, PartGatherer } from './part-gatherer.ts'

/** So many files wait in memory. */
const partsMax = 4

interface LivePart {
  readonly gatherer: PartGatherer
  /** The hash of its last event. */
  last: string
}

/** What one writer of a replica has of the commits of its process. Its memory is bounded: four files. */
export class LiveParts {
  readonly #ports: BlockPorts
  readonly #eventsMax: number | undefined
  /** In the order of the log, perhaps with gaps. All but the last one are full. */
  readonly #parts: LivePart[] = []
  /** The last of the parts, if the next commit goes on with it. */
  #open: LivePart | undefined
  /** Where the last commit ended. */
  #end: Tip | undefined
  #wake: () => void = () => undefined

  constructor(ports: BlockPorts, { eventsMax }: Pick<GathererOptions, 'eventsMax'> = {}) {
    this.#ports = ports
    this.#eventsMax = eventsMax
  }

  /** The first event that is here; infinity if there is none. */
  get from(): Seq {
    return this.#parts[0]?.gatherer.from ?? Number.POSITIVE_INFINITY
  }

  /** Resolves when a file is full. One caller at a time. */
  filled(): Promise<void> {
    if (this.#parts.some(({ gatherer }) => gatherer.isFull)) return Promise.resolve()
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /** What was committed, each time. */
  add(commit: StoreCommit): void {
    const before = this.#end
    this.#end = commit.end
    const part = this.#partAfter(before, commit)
    // It counts again when it has all of the commit: what is not whole is read from the journal.
    if (part === undefined || !addCommit(part.gatherer, commit)) return
    part.last = commit.end.hash
    this.#parts.push(part)
    if (part.gatherer.isFull) this.#wake()
    else this.#open = part
  }

  /** The part that goes on with this commit, taken out. */
  #partAfter(before: Tip | undefined, { recordings, end }: StoreCommit): LivePart | undefined {
    const from = end.seq - recordings.length + 1
    const follows = before !== undefined && before.seq + 1 === from
    const open = this.#open
    if (open !== undefined) this.#parts.pop()
    this.#open = undefined
    // What is not full is read in one piece with what is missing behind it, rather than written as a file of its own.
    if (!follows) return undefined
    if (open !== undefined || this.#parts.length >= partsMax) return open
    return {
      gatherer: new PartGatherer(this.#ports, { from, prev: before.hash, eventsMax: this.#eventsMax }),
      last: '',
    }
  }

  /** What is here of the log from `from` on. `prev`: the hash of the event before. Absent if it does not begin there. */
  take({ from, prev }: { readonly from: Seq; readonly prev: string }): Promise<GatheredPart> | undefined {
    while (this.from < from) this.#shift()
    const part = this.#parts[0]
    if (part?.gatherer.from !== from || part.gatherer.prev !== prev) return undefined
    this.#shift()
    return part.gatherer.end({ last: part.last, store: undefined })
  }

  #shift(): void {
    if (this.#parts.shift() === this.#open) this.#open = undefined
  }
}

/** False if a row that an event brought is not among those of the commit. */
function addCommit(gatherer: PartGatherer, { recordings, sideRows }: StoreCommit): boolean {
  const rows = new RowsInOrder(sideRows)
  for (const { event, bytes } of recordings)
    for (const row of gatherer.add(event, bytes)) {
      const value = rows.find(row)
      if (value === undefined) return false
      gatherer.addRow(row, value)
    }
  return true
}

/** Rows of a commit, mostly in the order of the events that brought them. */
class RowsInOrder {
  readonly #rows: readonly RowChange[]
  #next = 0

  constructor(rows: readonly RowChange[]) {
    this.#rows = rows
  }

  find({ kind, id }: BroughtRow): Uint8Array | undefined {
    const key = sideRowKey(kind, id)
    const count = this.#rows.length
    for (let tried = 0; tried < count; tried++) {
      const row = this.#rows[(this.#next + tried) % count]
      if (row === undefined || !sameBytes(row.key, key)) continue
      this.#next += tried + 1
      return row.value ?? undefined
    }
    return undefined
  }
}
