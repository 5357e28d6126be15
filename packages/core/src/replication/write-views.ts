/** Writes the rows of all views, as they are after an event, into a file of a replica: a restore need not compute them from all events. */
import { frameFormat, isSealed } from '../bytes/frame.ts'
import type { Hashing, Journal, RowSnapshot, Seq } from '../ports/index.ts'
import { corruptRow } from '../views/corrupt-row.ts'
import { committedRows } from '../views/row-reader.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey, viewRange, viewsVersion } from '../views/tables.ts'
import type { PartFacts } from './part-form.ts'
import { replicaFormat } from './replica-files-json.ts'
import { partName } from './replica-names.ts'
import type { PartPorts } from './stored-part.ts'
import { BlockFiller, createPart, type PartBlock } from './write-part.ts'

export interface ViewsWriting {
  readonly journal: Pick<Journal, 'snapshot'>
  readonly into: PartPorts
  readonly hashing: Hashing
  /** The hash of the first event. */
  readonly store: string
  readonly term: number
  readonly signal?: AbortSignal | undefined
}

/** The rows of all views, in a file. */
export interface WrittenViews {
  readonly name: string
  /** The last event that they contain. */
  readonly seq: Seq
  /** The number of rows. */
  readonly rows: number
}

const rowsAtOnce = 1000

/**
 * Resolves with `undefined` if nothing was written: the views are being computed, or there is a file of this position and term.
 * @throws StorageError `RowCorrupt` for a damaged row; what the ports throw; the reason of the signal
 */
export async function writeViews(writing: ViewsWriting): Promise<WrittenViews | undefined> {
  const { journal, into, hashing, store, term } = writing
  const snapshot = await journal.snapshot()
  try {
    const head = await committedRows(snapshot, hashing).get(headKey)
    if (head === undefined || head.views !== viewsVersion || head.partial === true) return undefined
    const name = partName({ kind: 'views', level: 0, from: head.seq, term })
    let rows = 0
    const blocks = viewBlocks(writing, snapshot, (count) => void (rows += count))
    const size = await createPart(into, name, factsOf(head, { store, term }), blocks)
    return size === undefined ? undefined : { name, seq: head.seq, rows }
  } finally {
    await snapshot.close()
  }
}

const factsOf = (
  { seq, at, hash, views }: HeadRow,
  { store, term }: Pick<ViewsWriting, 'store' | 'term'>,
): PartFacts => ({
  format: replicaFormat,
  kind: 'views',
  store,
  term,
  from: seq,
  to: seq,
  prev: '',
  last: hash,
  times: [at, at],
  absent: 0,
  views,
})

async function* viewBlocks(
  { into, hashing, signal }: ViewsWriting,
  snapshot: RowSnapshot,
  onRows: (count: number) => void,
): AsyncGenerator<PartBlock> {
  const filler = new BlockFiller(into, 'views')
  const cursor = snapshot.cursor(viewRange)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const rows = await cursor.next(rowsAtOnce)
      if (rows.length === 0) break
      onRows(rows.length)
      for (const [key, value] of rows) {
        if (!isSealed(hashing, key, value, frameFormat.record)) throw corruptRow(key, 'checksum')
        if (filler.addView(key, value)) yield filler.block()
      }
    }
    if (!filler.isEmpty) yield filler.block()
  } finally {
    await cursor.close()
  }
}
