import type { Content, Erasure, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { forgetShare } from './contents.ts'
import { garbageAt, takeGarbage } from './garbage.ts'
import { endPart } from './project-upload.ts'
import { RowKey } from './row-key.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { GarbageRow } from './rows.ts'
import { blobTable, erasedKey, erasingTable, type GarbagePlace, uploadUsageTable } from './content-tables.ts'
import { dataKeyTable, partTable } from './tables.ts'
import { countUsage } from './usage.ts'

type ErasureEvent = RecordedEvent<'ErasureStarted' | 'ContentsErased'>

export async function projectErasure(rows: RowTransaction, event: ErasureEvent): Promise<void> {
  if (event.type === 'ErasureStarted') for (const place of event.data.contents) await start(rows, place)
  else for (const erasure of event.data.erased) await erase(rows, erasure, event.seq)
}

async function start(rows: RowTransaction, place: GarbagePlace): Promise<void> {
  const taken = await takeForErasure(rows, place)
  if (taken !== undefined) rows.put(erasingTable.key(place), taken)
}

/** Only a salvaged log erases what a snapshot keeps: it may have lost the event that deleted the snapshot. */
async function takeForErasure(rows: RowTransaction, place: GarbagePlace): Promise<GarbageRow | undefined> {
  const garbage = await garbageAt(rows, place)
  if (garbage === undefined) return undefined
  await takeGarbage(rows, place, garbage)
  if (garbage.since !== undefined) {
    const { upTo = 0 } = (await rows.get(erasedKey)) ?? {}
    if (place.freedBy > upTo) rows.put(erasedKey, { upTo: place.freedBy })
  }
  const { pin: _pin, shownBy: _forks, ...rest } = garbage
  await countUsage(rows, rest.home, { kept: rest.bytes })
  return rest
}

async function erase(rows: RowTransaction, erasure: Erasure, until: Seq): Promise<void> {
  const { content, partNumbers, continues } = erasure
  if (continues !== true) await endGarbage(rows, erasure)
  forgetContent(rows, content)
  if (content.kind !== 'parts') return
  for (const partNumber of partNumbers ?? []) {
    const part = await rows.get(partTable.key(content.upload, partNumber))
    if (part === undefined) continue
    forgetContent(rows, part.content)
    endPart(rows, { upload: content.upload, partNumber, added: part.seq, until })
  }
}

/** Earlier releases recorded no start. */
async function endGarbage(rows: RowTransaction, erasure: Erasure): Promise<void> {
  const erasing = await rows.get(erasingTable.key(erasure))
  const garbage = erasing ?? (await takeForErasure(rows, erasure))
  if (garbage === undefined) return
  if (erasing !== undefined) rows.delete(erasingTable.key(erasure))
  await forgetShare(rows, garbage.content)
  if (garbage.content.kind === 'parts') rows.delete(uploadUsageTable.key(garbage.content.upload))
  await countUsage(rows, garbage.home, { kept: -garbage.bytes })
}

/** Drops the data key too: the commit that records an erasure leaves nothing that can decrypt a copy of the bytes. */
function forgetContent(rows: RowTransaction, content: Content): void {
  if (content.kind !== 'blob') return
  const { id, inline } = content.blob
  if (!inline) rows.delete(blobTable.key(id))
  if (content.sealed !== undefined) rows.delete(new RowKey(dataKeyTable.key(id)))
}
