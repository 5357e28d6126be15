/** Reads from a journal what one file of a replica takes: the next events of the log, and the rows that they brought. */
import { decodeEvent } from '../events/event-codec.ts'
import { linkedPages } from '../events/log.ts'
import type { BlobId, Hashing, Journal, Seq, StoredEvent } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import type { BlockPorts } from './block.ts'
import { type BroughtRow, type GatheredPart, PartGatherer } from './part-gatherer.ts'

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
  /** Whose rows are left out. @default none */
  readonly leftOut?: ReadonlySet<BlobId> | undefined
}

/** So many rows are read at once. */
const rowsAtOnce = 256

/** @throws StorageError `LogCorrupt` */
export async function gatherPart({
  journal,
  hashing,
  ports,
  from,
  to,
  prev,
  leftOut,
}: Gathering): Promise<GatheredPart> {
  const part = new PartGatherer(ports, { from, prev })
  const rows: BroughtRow[] = []
  const readRows = async (): Promise<void> => {
    const due = rows.splice(0)
    const values = await journal.getMany(due.map(({ kind, id }) => sideRowKey(kind, id)))
    for (const [at, row] of due.entries()) part.addRow(row, leftOut?.has(row.id) === true ? undefined : values[at])
  }
  const decode = (stored: StoredEvent) => ({ ...decodeEvent(hashing, stored), bytes: stored.bytes })
  let [first, last]: string[] = []
  for await (const page of linkedPages(journal, decode, { from, to, prev })) {
    for (const { event, hash, bytes } of page) {
      rows.push(...part.add(event, bytes))
      first ??= hash
      last = hash
    }
    if (rows.length >= rowsAtOnce) await readRows()
    if (part.isFull) break
  }
  if (rows.length > 0) await readRows()
  return part.end({ last: last ?? '', store: from === 1 ? first : undefined })
}
