import type { Content, Erasure, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { forgetShare } from './contents.ts'
import { endPart } from './project-upload.ts'
import type { RowTransaction } from './row-transaction.ts'
import { blobTable, dataKeyTable, garbageTable, partTable } from './tables.ts'

export async function projectErasure(rows: RowTransaction, event: RecordedEvent<'ContentsErased'>): Promise<void> {
  for (const erasure of event.data.erased) await erase(rows, erasure, event.seq)
}

async function erase(rows: RowTransaction, erasure: Erasure, until: Seq): Promise<void> {
  const { freedBy, index, content, partNumbers, continues } = erasure
  if (continues !== true) {
    rows.delete(garbageTable.key(freedBy, index))
    await forgetShare(rows, content)
  }
  forgetContent(rows, content)
  if (content.kind !== 'parts') return
  for (const partNumber of partNumbers ?? []) {
    const part = await rows.get(partTable.key(content.upload, partNumber))
    if (part === undefined) continue
    forgetContent(rows, part.content)
    endPart(rows, { upload: content.upload, partNumber, added: part.seq, until })
  }
}

/** Drops the data key too: the commit that records an erasure leaves nothing that can decrypt a copy of the bytes. */
function forgetContent(rows: RowTransaction, content: Content): void {
  if (content.kind !== 'blob') return
  const { id, inline } = content.blob
  if (!inline) rows.delete(blobTable.key(id))
  if (content.sealed !== undefined) rows.delete({ bytes: dataKeyTable.key(id) })
}
