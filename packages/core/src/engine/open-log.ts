/**
 * Opens an existing log. No request is answered before two checks: the end of the log is what was acknowledged, and the
 * views match it.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { corruptEvent } from '../events/event-codec.ts'
import type { Seq, Tip } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import { catchUp, dropViews, type Progress } from './catch-up.ts'
import { readLog } from '../events/log.ts'
import { type CommitGuard, guardOf, type Sharing, viewsJob } from '../sharing/sharing.ts'
import { newerViews } from './head-state.ts'
import type { StorePorts } from './store-ports.ts'
import { type LogEnd, logEndAt, logStart } from './recorder.ts'

/** How the log is checked and brought up to date when a store is opened. */
export interface OpenLogOptions {
  readonly signal?: AbortSignal
  /**
   * The journal is byte for byte as its owner closed it, so only the events after the witness must be checked.
   * @default false
   */
  readonly sealed?: boolean
  /**
   * The first event that the journal recovered from a file in which it silently skips damaged records. Earlier events
   * are in tables, where damage is detected, or are missing up to here. Events before it need no check.
   */
  readonly replayedFrom?: Seq | undefined
  /** Called while views are computed, which takes time for large logs. */
  onProgress?(progress: Progress): void
}

/**
 * How many events before the witness are checked if the owner crashed and the journal does not give `replayedFrom`.
 * LevelDB then recovers from its own log file and silently skips damaged records in it. This can leave a gap among the
 * last commits. The file holds fewer commits than this number.
 */
const unsealedMax = 65_536

/**
 * Checks the log from the witness on, or from well before it, and brings the views up to the end of the log.
 * @throws StorageError `AcknowledgedWritesLost`, `LogCorrupt`, `UnsupportedFormat`.
 */
export async function openLog(ports: StorePorts, sharing: Sharing, options: OpenLogOptions = {}): Promise<LogEnd> {
  // Read the witness first: other engines may commit meanwhile, and it may not be ahead of the log.
  const tip = await ports.witness?.read()
  const { head, views } = await logEnds(ports, tip)
  const end = await checkTail(ports, { from: doubtfulFrom(tip?.seq ?? 1, options), to: head }, [tip, views])
  await currentViews(ports, sharing, { head, views, options })
  return end
}

/** Other engines on the journal must not compute the views at the same time. */
async function currentViews(
  ports: StorePorts,
  sharing: Sharing,
  { head, views, options }: LogEnds & { readonly options: ViewsOptions },
): Promise<void> {
  if (!sharing.isShared) return followLog(ports, head, views, options)
  if (views !== undefined && views.views > viewsVersion) throw newerViews(views.views)
  if (isCurrent(head, views)) return
  const guard = guardOf(sharing, viewsJob)
  await sharing.alone(viewsJob, () => bringViews(ports, { ...options, guard }), options.signal)
}

/** The first event to check. It is never after the witness, because the witness is compared with the log. */
function doubtfulFrom(witnessed: Seq, { sealed = false, replayedFrom }: OpenLogOptions): Seq {
  if (sealed) return witnessed
  if (replayedFrom === undefined) return Math.max(witnessed - unsealedMax, 1)
  // Includes the event before `replayedFrom`: if it is missing, it was never written to a table or the table was lost.
  return Math.max(Math.min(witnessed, replayedFrom - 1), 1)
}

/** How views are computed. */
export interface ViewsOptions extends Omit<OpenLogOptions, 'sealed' | 'replayedFrom'> {
  /** Guards the commits of views on a journal that other engines use. */
  readonly guard?: CommitGuard | undefined
}

/** Brings the views of a journal up to the end of its log, from any earlier position. */
export async function bringViews(
  ports: Pick<StorePorts, 'journal' | 'hashing'>,
  options: ViewsOptions = {},
): Promise<void> {
  for (;;) {
    const { head, views } = await logEnds(ports)
    try {
      return await followLog(ports, head, views, options)
    } catch (error) {
      if (options.guard === undefined || !isStorageError(error, 'JournalConflict')) throw error
      await options.guard.check()
    }
  }
}

interface LogEnds {
  readonly head: Seq
  readonly views: HeadRow | undefined
}

/**
 * The end of the log, and that of the views, which is read later: if the views are behind, it is not because another
 * engine has committed in between.
 * @throws StorageError `AcknowledgedWritesLost` if the log ends before the witness; `LogCorrupt` if before the views
 */
async function logEnds(ports: Pick<StorePorts, 'journal' | 'hashing'>, tip?: Tip): Promise<LogEnds> {
  for (;;) {
    const head = await ports.journal.head()
    if (tip !== undefined && tip.seq > head) throw acknowledgedWritesLost(head, tip)
    const views = await headRow(ports)
    if (views === undefined || views.seq <= head) return { head, views }
    if (views.seq > (await ports.journal.head())) throw corruptEvent(head + 1, 'missing')
  }
}

const acknowledgedWritesLost = (head: Seq, { seq }: Tip): StorageError =>
  new StorageError('AcknowledgedWritesLost', `The log ends at ${head}; it once reached ${seq}.`, {
    details: { head, witness: seq },
  })

/** An unreadable head row means the same as a missing one: the views cannot be trusted. */
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
  let end = logStart
  if (range.to === 0) return end
  for await (const decoded of readLog(ports, range)) {
    end = logEndAt(decoded)
    for (const known of remembered)
      if (known?.seq === end.seq && known.hash !== end.hash) throw corruptEvent(end.seq, 'chain')
  }
  return end
}

async function followLog(
  ports: Pick<StorePorts, 'journal' | 'hashing'>,
  head: Seq,
  views: HeadRow | undefined,
  options: ViewsOptions,
): Promise<void> {
  if (isCurrent(head, views)) return
  const current = views?.views === viewsVersion ? views.seq : 0
  const { journal, hashing } = ports
  const to = current === 0 ? await dropViews(journal, options) : head
  const start = current === 0 ? undefined : views
  await catchUp({ log: journal, views: journal, hashing, from: current + 1, to, start, ...options })
}

/** Whether the views have the form of this release, and all events. */
const isCurrent = (head: Seq, views: HeadRow | undefined): boolean =>
  views === undefined ? head === 0 : views.views === viewsVersion && views.partial !== true && views.seq >= head
