/** Finds, of the bytes that a restore did not find, those whose absence the log does not explain: they are lost, not erased. */
import { unrestoredRow } from '../content/unrestored.ts'
import { type LogPorts, readLogPages } from '../events/log.ts'
import type { Content, RecordedEvent } from '../events/index.ts'
import type { BlobId, Hashing, Journal, RowChange, Seq } from '../ports/index.ts'
import type { LogSource } from '../repair/log-source.ts'
import { erasingTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { GarbageRow, PartRow } from '../views/rows.ts'
import { partTable, unrestoredTable } from '../views/tables.ts'

interface Restored {
  readonly from: Pick<LogSource, 'journal'>
  readonly into: Journal
  readonly hashing: Hashing
}

const rowsAtOnce = 4000

/** Of the bytes that were noted as absent, those that are lost. All events of the source count, also those after the moment that is restored. */
export async function findLost({ from, into, hashing }: Restored): Promise<readonly BlobId[]> {
  const absent = await notedIds(into)
  if (absent.size === 0) return []
  const to = await from.journal.head()
  await withoutErased(absent, { journal: from.journal, hashing }, to)
  if (absent.size > 0) await withoutErasing(absent, into, hashing)
  return [...absent]
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

/** Removes the ids that are erased according to the log. */
async function withoutErased(absent: Set<BlobId>, log: LogPorts, to: Seq): Promise<void> {
  const parts = new Map<string, BlobId>()
  for await (const page of readLogPages(log, { to })) {
    for (const { event } of page) settle(absent, parts, event)
    if (absent.size === 0) return
  }
}

function settle(absent: Set<BlobId>, parts: Map<string, BlobId>, { type, data }: RecordedEvent): void {
  if (type === 'PartAdded') {
    if (data.content.kind === 'blob' && absent.has(data.content.blob.id))
      parts.set(partOf(data.upload, data.partNumber), data.content.blob.id)
    return
  }
  if (type !== 'ContentsErased') return
  for (const { content, partNumbers = [] } of data.erased) {
    if (content.kind === 'blob') absent.delete(content.blob.id)
    if (content.kind === 'parts')
      for (const number of partNumbers) absent.delete(parts.get(partOf(content.upload, number)) ?? '')
  }
}

const partOf = (upload: Seq, partNumber: number): string => `${upload}/${partNumber}`

/** Removes the ids whose erasure has started: the bytes are deleted before its last event is recorded. */
async function withoutErasing(absent: Set<BlobId>, journal: Journal, hashing: Hashing): Promise<void> {
  const rows = committedRows(journal, hashing)
  const take = (content: Content): void => void (content.kind === 'blob' && absent.delete(content.blob.id))
  for (const { row } of await rows.all<GarbageRow>(erasingTable.range)) {
    take(row.content)
    if (row.content.kind !== 'parts') continue
    for (const part of await rows.all<PartRow>(partTable.ofUpload(row.content.upload))) take(part.row.content)
  }
}
