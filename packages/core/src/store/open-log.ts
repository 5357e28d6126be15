/**
 * Taking up a log again: nothing is served before the end of the log is known to be what was acknowledged, and the
 * views are known to follow it.
 */
import { isStorageError, StorageError } from '../errors.ts'
import { corruptEvent } from '../events/event-codec.ts'
import type { Seq, Tip } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import { catchUp, dropViews, type Progress } from './catch-up.ts'
import { readLog } from './log.ts'
import type { StorePorts } from './ports.ts'
import type { LogEnd } from './recorder.ts'

export interface OpenLogOptions {
  readonly signal?: AbortSignal
  /** Called while views are made again, which takes time on large logs. */
  onProgress?(progress: Progress): void
}

/**
 * Checks the log from the witness on, and brings the views up to its end.
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
  const end = await checkTail(ports, head, tip, views)
  await followLog(ports, head, views, options)
  return end
}

/** A head row that cannot be read means what a missing one means: the views are not to be trusted. */
async function headRow({ journal, hashing }: StorePorts): Promise<HeadRow | undefined> {
  try {
    return await committedRows(journal, hashing).get(headKey)
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt')) return undefined
    throw error
  }
}

async function checkTail(
  ports: StorePorts,
  head: Seq,
  tip: Tip | undefined,
  views: HeadRow | undefined,
): Promise<LogEnd> {
  let end: LogEnd = { seq: 0, at: 0, hash: '' }
  if (head === 0) return end
  for await (const { event, hash } of readLog(ports, { from: tip?.seq || 1, to: head })) {
    for (const known of [tip, views])
      if (known?.seq === event.seq && known.hash !== hash) throw corruptEvent(event.seq, 'chain')
    end = { seq: event.seq, at: event.at, hash }
  }
  return end
}

async function followLog(
  ports: StorePorts,
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
