/**
 * Takes the rows of the views from the source of a copy, so that only later events are left to be computed. What cannot be used is left
 * out, because the log has all that rows say.
 */
import type { Cancelable } from '../api/types/index.ts'
import { isStorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { dropViews } from '../engine/catch-up.ts'
import { tipAt } from '../events/log.ts'
import type { Hashing, Journal, Row } from '../ports/index.ts'
import { headKey } from '../views/tables.ts'
import type { LogSource, SourceViews } from './log-source.ts'

interface ViewsBringing extends Cancelable {
  readonly from: Pick<LogSource, 'views'>
  /** Has the events that were copied, each checked against the one before. */
  readonly into: Journal
  readonly hashing: Hashing
}

const rowsPerCommit = 4096

/** Brings none if there are views already. */
export async function bringStoredViews({ from, into, hashing, signal }: ViewsBringing): Promise<void> {
  if (from.views === undefined || (await into.get(headKey.bytes)) !== undefined) return
  for await (const views of from.views(await into.head())) {
    const tip = await tipAt({ journal: into, hashing }, views.seq)
    if (tip.hash === views.hash && (await isBrought(views, into, signal))) return
  }
}

/** False if they are damaged: then the head row is missing, and what was brought is dropped before views are computed. */
async function isBrought(views: SourceViews, into: Journal, signal: AbortSignal | undefined): Promise<boolean> {
  await dropViews(into, { ...(signal && { signal }) })
  const expectedHead = await into.head()
  const commit = (rows: readonly Row[]): Promise<void> =>
    into.commit({ expectedHead, events: [], rows: rows.map(([key, value]) => ({ key, value })) })
  let head: Row | undefined
  let page: Row[] = []
  try {
    for await (const rows of views.rows()) {
      signal?.throwIfAborted()
      for (const row of rows) {
        if (head === undefined && sameBytes(row[0], headKey.bytes)) head = row
        else page.push(row)
      }
      if (page.length < rowsPerCommit) continue
      await commit(page)
      page = []
    }
  } catch (error) {
    if (!isStorageError(error, 'ReplicaCorrupt')) throw error
    return false
  }
  if (head === undefined) return false
  // The head row makes them count.
  await commit([...page, head])
  return true
}
