/**
 * Taking up a log again: nothing is served before the end of the log is known to be what was acknowledged, and the
 * views are known to follow it.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { corruptEvent } from '../events/event-codec.ts'
import type { Seq, Tip } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import { catchUp, dropViews, type Progress } from './catch-up.ts'
import { readLog } from '../events/log.ts'
import type { StorePorts } from './store-ports.ts'
import type { LogEnd } from './recorder.ts'

/** How the log is checked and brought up to date when a store is opened. */
export interface OpenLogOptions {
  readonly signal?: AbortSignal
  /**
   * The journal is, to the byte, as its owner left it, so that only what follows the witness has to be looked at.
   * @default false
   */
  readonly sealed?: boolean
  /**
   * The first event that the journal took from where damage is skipped without a word; all before lies where it would have been
   * found, or is missing up to here. It saves looking at events that are not in question.
   */
  readonly replayedFrom?: Seq | undefined
  /** Called while views are made again, which takes time on large logs. */
  onProgress?(progress: Progress): void
}

/**
 * How far before the witness a log is checked whose owner died, unless the journal can tell. LevelDB reads its own log file back
 * then, and a damaged record in the middle of that is skipped without a word: a hole among the last commits, of which the file
 * holds fewer.
 */
const unsealedMax = 65_536

/**
 * Checks the log from the witness on, or from well before it, and brings the views up to its end.
 * @throws StorageError `AcknowledgedWritesLost`, `LogCorrupt`, `UnsupportedFormat`.
 */
export async function openLog(ports: StorePorts, options: OpenLogOptions = {}): Promise<LogEnd> {
  const { journal, witness } = ports
  const [head, tip] = [await journal.head(), await witness?.read()]
  if (tip !== undefined && tip.seq > head) {
    throw new StorageError('AcknowledgedWritesLost', `The log ends at ${head}; it once reached ${tip.seq}.`, {
      details: { head, witness: tip.seq },
    })
  }
  const views = await headRow(ports)
  if (views !== undefined && views.seq > head) throw corruptEvent(head + 1, 'missing')
  const end = await checkTail(ports, { from: doubtfulFrom(tip?.seq ?? 1, options), to: head }, [tip, views])
  await followLog(ports, head, views, options)
  return end
}

/** Where the events begin that have to be looked at: never behind the witness, whose word is held against the log. */
function doubtfulFrom(witnessed: Seq, { sealed = false, replayedFrom }: OpenLogOptions): Seq {
  if (sealed) return witnessed
  if (replayedFrom === undefined) return Math.max(witnessed - unsealedMax, 1)
  // The one before it too: what is missing right before what was replayed was never written to a table, or the table forgotten.
  return Math.max(Math.min(witnessed, replayedFrom - 1), 1)
}

/** Brings the views of a journal up to the end of its log, from wherever they are. */
export async function bringViews(
  ports: Pick<StorePorts, 'journal' | 'hashing'>,
  options: Omit<OpenLogOptions, 'sealed' | 'replayedFrom'> = {},
): Promise<void> {
  await followLog(ports, await ports.journal.head(), await headRow(ports), options)
}

/** A head row that cannot be read means what a missing one means: the views are not to be trusted. */
async function headRow({ journal, hashing }: Pick<StorePorts, 'journal' | 'hashing'>): Promise<HeadRow | undefined> {
  try {
    return await committedRows(journal, hashing).get(headKey)
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt')) return undefined
    throw error
  }
}

async function checkTail(
  ports: StorePorts,
  range: { readonly from: Seq; readonly to: Seq },
  remembered: readonly (Tip | undefined)[],
): Promise<LogEnd> {
  let end: LogEnd = { seq: 0, at: 0, hash: '' }
  if (range.to === 0) return end
  for await (const { event, hash } of readLog(ports, range)) {
    for (const known of remembered)
      if (known?.seq === event.seq && known.hash !== hash) throw corruptEvent(event.seq, 'chain')
    end = { seq: event.seq, at: event.at, hash }
  }
  return end
}

async function followLog(
  ports: Pick<StorePorts, 'journal' | 'hashing'>,
  head: Seq,
  views: HeadRow | undefined,
  options: OpenLogOptions,
): Promise<void> {
  const current = views?.views === viewsVersion ? views.seq : 0
  if (current === head && (views !== undefined || head === 0)) return
  if (current === 0) await dropViews(ports.journal, options.signal)
  const { journal, hashing } = ports
  await catchUp({ log: journal, views: journal, hashing, from: current + 1, to: head, ...options })
}
