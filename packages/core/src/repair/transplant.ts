/**
 * Moves everything that can be proved into another journal: the stored events, each checked again; the views computed
 * from them; the inline bytes and data keys that those views need; and the keyspaces. A migration and a repair move the
 * whole log, a salvage the part before the damage. An interrupted transplant can be continued.
 */
import { StorageError } from '../base/errors.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import { decodeEvent } from '../events/event-codec.ts'
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import type { Progress } from '../engine/catch-up.ts'
import { bringViews } from '../engine/open-log.ts'
import type { Cancelable } from '../api/types/index.ts'
import { namingRows } from '../verify/naming-rows.ts'
import type { Named } from '../verify/report.ts'
import { copyKeyspaces } from './copy-keyspaces.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { SideRowMover } from './side-row-mover.ts'

export interface TransplantOptions extends Cancelable {
  readonly from: Journal
  /** An empty journal, or one with the first part of the same log from an interrupted transplant. */
  readonly into: Journal
  readonly hashing: Hashing
  /** The last event to move; all events before it must be whole. */
  readonly to: Seq
  /** Called for each blob, inline or not, that the views name. */
  onBlob?(blob: NamedBytes): Promise<void>
  /** Progress of the events, then of the views, then of the bytes, each counted in events. */
  onProgress?(progress: Progress & { readonly stage: TransplantStage }): void
}

/** The current part of a copy between layouts. */
export type TransplantStage = 'events' | 'views' | 'bytes'

/** Bytes that an event names. */
export interface NamedBytes {
  readonly blob: BlobRef
  readonly seq: Seq
  readonly of?: Named
  /** True if they belong to something that was removed, so they may have been erased. */
  readonly mayBeErased: boolean
  /** Present if the bytes are encrypted and not erased, so their data key exists. */
  readonly sealed?: Seal
}

const eventsPerCommit = 500

/** What a transplant could not move. */
export interface Transplanted {
  /** The names of keyspaces with damage in them. */
  readonly keyspacesLeftOut: readonly string[]
}

/** @throws StorageError `LogCorrupt` if an event up to `to` is damaged. */
export async function transplant(options: TransplantOptions): Promise<Transplanted> {
  await moveEvents(options)
  const { into, hashing, signal, onProgress } = options
  await bringViews(
    { journal: into, hashing },
    { ...(signal && { signal }), onProgress: (progress) => onProgress?.({ ...progress, stage: 'views' }) },
  )
  await moveBytes(options)
  return { keyspacesLeftOut: await copyKeyspaces(options) }
}

/** Copies the stored events and checks each of them. */
export async function moveEvents({ from, into, hashing, to, signal, onProgress }: TransplantOptions): Promise<void> {
  let events: Uint8Array[] = []
  const flush = async (): Promise<void> => {
    if (events.length > 0) await into.commit({ expectedHead: await into.head(), events, rows: [] })
    events = []
    onProgress?.({ stage: 'events', done: await into.head(), total: to })
  }
  for await (const stored of from.events({ from: (await into.head()) + 1, to })) {
    signal?.throwIfAborted()
    // Checks the event alone. The chain is checked when the events are read from the new journal.
    decodeEvent(hashing, stored)
    if (events.push(stored.bytes) === eventsPerCommit) await flush()
  }
  await flush()
}

/** The inline bytes and data keys that the views need, and all blobs. A key of erased bytes is not moved. */
export async function moveBytes({
  from,
  into,
  hashing,
  to,
  signal,
  onBlob,
  onProgress,
}: TransplantOptions): Promise<void> {
  let done = 0
  const onMoved = (count: number) => {
    done += count
    onProgress?.({ stage: 'bytes', done: Math.min(done, to), total: to })
  }
  const inline = new SideRowMover({ from, into, key: inlineTable.key, signal, onMoved })
  const keys = new SideRowMover({ from, into, key: dataKeyTable.key, signal })
  const never = (key: string): never => {
    throw new StorageError('RowCorrupt', 'A row that was just made is damaged.', { details: { key, kind: 'checksum' } })
  }
  for await (const { blob, seq, described, mayBeErased, sealed } of namingRows(into, hashing, never)) {
    signal?.throwIfAborted()
    const { of } = described
    await onBlob?.({ blob, seq, mayBeErased, ...(sealed && { sealed }), ...(of && { of }) })
    if (blob.inline) await inline.take(blob.id)
    else onMoved(1)
    if (sealed !== undefined) await keys.take(blob.id)
  }
  await inline.flush()
  await keys.flush()
}
