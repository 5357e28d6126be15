import type { Content, Erasure, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { forgetShare, stopWaiting } from './contents.ts'
import { endPart } from './project-upload.ts'
import type { RowTransaction } from './row-transaction.ts'
import { blobTable, erasingTable, type GarbagePlace, garbageTable, uploadUsageTable } from './content-tables.ts'
import { dataKeyTable, partTable } from './tables.ts'
import { countUsage } from './usage.ts'

type ErasureEvent = RecordedEvent<'ErasureStarted' | 'ContentsErased'>

export async function projectErasure(rows: RowTransaction, event: ErasureEvent): Promise<void> {
  if (event.type === 'ErasureStarted') for (const place of event.data.contents) await start(rows, place)
  else for (const erasure of event.data.erased) await erase(rows, erasure, event.seq)
}

async function start(rows: RowTransaction, place: GarbagePlace): Promise<void> {
  const garbage = await rows.get(garbageTable.key(place))
  if (garbage === undefined) return
  stopWaiting(rows, place, garbage)
  rows.put(erasingTable.key(place), garbage)
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
  const garbage = erasing ?? (await rows.get(garbageTable.key(erasure)))
  if (garbage === undefined) return
  if (erasing === undefined) stopWaiting(rows, erasure, garbage)
  else rows.delete(erasingTable.key(erasure))
  await forgetShare(rows, garbage.content)
  if (garbage.content.kind === 'parts') rows.delete(uploadUsageTable.key(garbage.content.upload))
  await countUsage(rows, garbage.home, { kept: -garbage.bytes })
}

/** Drops the data key too: the commit that records an erasure leaves nothing that can decrypt a copy of the bytes. */
function forgetContent(rows: RowTransaction, content: Content): void {
  if (content.kind !== 'blob') return
  const { id, inline } = content.blob
  if (!inline) rows.delete(blobTable.key(id))
  if (content.sealed !== undefined) rows.delete({ bytes: dataKeyTable.key(id) })
}
