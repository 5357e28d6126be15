/**
 * Tracks which versions need which bytes. A content belongs to one version, or to several if copies share it. When the
 * last of them is removed, the content becomes garbage. The sweep erases it after the retention, once no read needs it.
 */
import type { Content, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { RowTransaction } from './row-transaction.ts'
import { blobTable, garbageTable, shareTable } from './tables.ts'

/** Records that a content names this blob, so that the sweep does not delete it. */
export function nameBlob(rows: RowTransaction, content: Content, by: Seq): void {
  if (content.kind === 'blob' && !content.blob.inline) {
    rows.put(blobTable.key(content.blob.id), { by, size: content.blob.size })
  }
}

export async function shareContent(rows: RowTransaction, content: Content): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  rows.put(shareTable.key(id), { versions: (share?.versions ?? 1) + 1 })
}

/** `index` numbers the contents that one event frees. */
export async function freeContent(
  rows: RowTransaction,
  content: Content,
  by: RecordedEvent,
  index: number,
): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  if (share === undefined) rows.put(garbageTable.key(by.seq, index), { at: by.at, content })
  else if (share.versions > 2) rows.put(shareTable.key(id), { versions: share.versions - 1 })
  else rows.delete(shareTable.key(id))
}

function contentId(content: Content): string | undefined {
  switch (content.kind) {
    case 'empty':
      return undefined
    case 'blob':
      return content.blob.id
    case 'parts':
      return `upload-${content.upload}`
  }
}
