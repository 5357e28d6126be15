/** Finds, of the bytes that a restore did not find, those whose absence the log does not explain: they are lost, not erased. */
import { unrestoredRow } from '../content/unrestored.ts'
import { type LogPorts, readLogPages } from '../events/log.ts'
import type { Content } from '../events/index.ts'
import type { BlobId, Hashing, Journal, RowChange, Seq } from '../ports/index.ts'
import type { LogSource } from '../repair/log-source.ts'
import { erasingTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { GarbageRow, PartRow } from '../views/rows.ts'
import { partTable, unrestoredTable } from '../views/tables.ts'
import { AbsentBytes } from './absent-bytes.ts'

interface Restored {
  readonly from: Pick<LogSource, 'journal'>
  readonly into: Journal
  readonly hashing: Hashing
}

const rowsAtOnce = 4000

/** Of the bytes that were noted as absent, those that are lost. All events of the source count, also those after the moment that is restored. */
export async function findLost({ from, into, hashing }: Restored): Promise<readonly BlobId[]> {
  const absent = new AbsentBytes(await notedIds(into))
  if (absent.size === 0) return []
  await withoutErased(absent, { journal: from.journal, hashing }, await from.journal.head())
  if (absent.size > 0) await withoutErasing(absent, into, hashing)
  return absent.ids
}

/** What a copy of a log up to an event lacks. */
export interface AbsentFromCopy {
  /** Of how many bytes no event of the copy says that they were erased. */
  readonly unexplained: number
  /** Those of them that no later event explains either, and whose erasure has not started: the source has lost them. */
  readonly lost: readonly BlobId[]
}

/** Tells what is erased from what is lost, of bytes that a journal brought up to the event `to` and that are not there. */
export async function explainAbsent(
  { journal, hashing }: { readonly journal: Journal; readonly hashing: Hashing },
  ids: Iterable<BlobId>,
  to: Seq,
): Promise<AbsentFromCopy> {
  const absent = new AbsentBytes(ids)
  await withoutErased(absent, { journal, hashing }, to)
  const unexplained = absent.size
  const head = await journal.head()
  // From the beginning: parts are named by the events that added them.
  if (head > to) await withoutErased(absent, { journal, hashing }, head)
  if (absent.size > 0) await withoutErasing(absent, journal, hashing)
  return { unexplained, lost: absent.ids }
}

/** Forgets what was noted of lost bytes, so that their absence is damage, which `verify` finds and a read reports. */
export async function forgetLost(into: Journal, lost: readonly BlobId[]): Promise<void> {
  if (lost.length === 0) return
  const head = await into.head()
  for (let at = 0; at < lost.length; at += rowsAtOnce) {
    const ids = lost.slice(at, at + rowsAtOnce)
    const rows = ids.map((id): RowChange => ({ key: unrestoredTable.key(id), value: null }))
    await into.commit({ expectedHead: head, events: [], rows })
  }
}

/**
 * For a restore that leaves blobs: notes those that the log of the source says are erased later, up to its end. So the absence of any other
 * blob is damage when the store brings them.
 */
export async function noteErasedLater({ from, into, hashing, to }: Restored & { readonly to: Seq }): Promise<void> {
  const head = await from.journal.head()
  if (head <= to) return
  const rows = committedRows(into, hashing)
  const [ids, expectedHead] = [new Set<BlobId>(), await into.head()]
  const take = (content: Content): void => void (content.kind === 'blob' && ids.add(content.blob.id))
  for await (const page of readLogPages({ journal: from.journal, hashing }, { from: to + 1, to: head })) {
    for (const { event } of page) {
      if (event.type !== 'ContentsErased') continue
      for (const { content } of event.data.erased) {
        take(content)
        if (content.kind !== 'parts') continue
        for (const part of await rows.all<PartRow>(partTable.ofUpload(content.upload))) take(part.row.content)
      }
    }
  }
  const noted = [...ids]
  for (let at = 0; at < noted.length; at += rowsAtOnce) {
    const notes = noted.slice(at, at + rowsAtOnce).map((id) => unrestoredRow(hashing, id))
    await into.commit({ expectedHead, events: [], rows: notes })
  }
}

async function notedIds(journal: Journal): Promise<Set<BlobId>> {
  const ids = new Set<BlobId>()
  const cursor = journal.cursor(unrestoredTable.range)
  try {
    for (let rows = await cursor.next(rowsAtOnce); rows.length > 0; rows = await cursor.next(rowsAtOnce)) {
      for (const [key] of rows) {
        const id = unrestoredTable.id(key)
        if (id !== undefined) ids.add(id)
      }
    }
  } finally {
    await cursor.close()
  }
  return ids
}

/** Removes what is erased according to the log, up to an event. */
async function withoutErased(absent: AbsentBytes, log: LogPorts, to: Seq): Promise<void> {
  if (absent.size === 0) return
  for await (const page of readLogPages(log, { to })) {
    for (const { event } of page) absent.take(event)
    if (absent.size === 0) return
  }
}

/** Removes the ids whose erasure has started: the bytes are deleted before its last event is recorded. */
async function withoutErasing(absent: AbsentBytes, journal: Journal, hashing: Hashing): Promise<void> {
  const rows = committedRows(journal, hashing)
  const take = (content: Content): void => void (content.kind === 'blob' && absent.explain(content.blob.id))
  for (const { row } of await rows.all<GarbageRow>(erasingTable.range)) {
    take(row.content)
    if (row.content.kind !== 'parts') continue
    for (const part of await rows.all<PartRow>(partTable.ofUpload(row.content.upload))) take(part.row.content)
  }
}
