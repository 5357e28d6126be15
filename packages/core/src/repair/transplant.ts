/**
 * Moves what can be proved into another journal: events as they are stored, each checked again on its way; the views made
 * of them; and the inline bytes those views name. A migration and a repair take the whole log, a salvage the part before
 * the damage. One that was cut off goes on where it was.
 */
import { isStorageError } from '../errors.ts'
import type { BlobRef } from '../events/index.ts'
import { decodeEvent } from '../events/event-codec.ts'
import type { Hashing, Journal, RowChange, Seq } from '../ports/index.ts'
import type { Progress } from '../store/catch-up.ts'
import { bringViews } from '../store/open-log.ts'
import type { Cancelable } from '../store/types/index.ts'
import { inlineTable } from '../views/tables.ts'
import { namingRows } from '../verify/naming-rows.ts'
import type { Named } from '../verify/report.ts'

export interface TransplantOptions extends Cancelable {
  readonly from: Journal
  /** An empty journal, or one with the beginning of what an earlier transplant of the same log brought. */
  readonly into: Journal
  readonly hashing: Hashing
  /** The last event to take; all before it must be whole. */
  readonly to: Seq
  /** Called for each blob, inline or not, that the views name. */
  onBlob?(blob: NamedBytes): Promise<void>
  /** Of the events, then of the views, then of the bytes, each counted in events. */
  onProgress?(progress: Progress & { readonly stage: TransplantStage }): void
}

export type TransplantStage = 'events' | 'views' | 'bytes'

export interface NamedBytes {
  readonly blob: BlobRef
  readonly seq: Seq
  readonly of?: Named
  /** They belong to what was removed: they may be gone by right. */
  readonly mayBeErased: boolean
}

const eventsPerCommit = 500
const rowsPerCommit = 64

/** @throws StorageError `LogCorrupt` when an event up to `to` is not whole. */
export async function transplant(options: TransplantOptions): Promise<void> {
  await moveEvents(options)
  const { into, hashing, signal, onProgress } = options
  await bringViews(
    { journal: into, hashing },
    { ...(signal && { signal }), onProgress: (progress) => onProgress?.({ ...progress, stage: 'views' }) },
  )
  await moveInlineBytes(options)
}

async function moveEvents({ from, into, hashing, to, signal, onProgress }: TransplantOptions): Promise<void> {
  let events: Uint8Array[] = []
  const flush = async (): Promise<void> => {
    if (events.length > 0) await into.commit({ expectedHead: await into.head(), events, rows: [] })
    events = []
    onProgress?.({ stage: 'events', done: await into.head(), total: to })
  }
  for await (const stored of from.events({ from: (await into.head()) + 1, to })) {
    signal?.throwIfAborted()
    // Linked they are for certain only once they are read again from where they went.
    decodeEvent(hashing, stored)
    if (events.push(stored.bytes) === eventsPerCommit) await flush()
  }
  await flush()
}

/** Damaged ones go too, as they are: reading them says what is wrong with them. */
async function moveInlineBytes(options: TransplantOptions): Promise<void> {
  const { from, into, hashing, to, signal, onBlob, onProgress } = options
  const moved = new Set<string>()
  let rows: RowChange[] = []
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await into.commit({ expectedHead: await into.head(), events: [], rows })
    rows = []
  }
  const never = (key: string): never => {
    throw new Error(`A row that was just made is damaged: ${key}`)
  }
  for await (const { blob, seq, described, mayBeErased } of namingRows(into, hashing, never)) {
    signal?.throwIfAborted()
    const { of } = described
    await onBlob?.({ blob, seq, mayBeErased, ...(of && { of }) })
    onProgress?.({ stage: 'bytes', done: seq, total: to })
    if (!blob.inline || moved.has(blob.id)) continue
    moved.add(blob.id)
    const key = inlineTable.key(blob.id)
    if ((await into.get(key)) !== undefined) continue
    const value = await readable(() => from.get(key))
    if (value === undefined) continue
    rows.push({ key, value })
    if (rows.length === rowsPerCommit) await flush()
  }
  await flush()
}

/** What the damaged journal cannot give is missing in the new one. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isStorageError(error, 'JournalFailed')) return undefined
    throw error
  }
}
