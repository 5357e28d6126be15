/** Finds parts of uploads that a sweep has erased: the files of the store may still have their bytes. */
import type { Content } from '../events/index.ts'
import { readEvent } from '../events/log.ts'
import type { BlobId, Hashing, Journal } from '../ports/index.ts'
import { type GarbagePlace, garbageTable } from '../views/content-tables.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { PartRow } from '../views/rows.ts'
import { dataKeyTable, inlineTable, partTable } from '../views/tables.ts'
import { freedParts, type UploadInKey } from '../views/unseen-parts.ts'

export interface SweptBytes {
  contents: number
  readonly blobs: BlobId[]
  /** The keys of the rows with inline bytes and with data keys. */
  readonly sideRows: Uint8Array[]
}

/** Without what waits for its erasure, and without what `isOurs`: this erasure purges it. */
export async function sweptParts(
  log: { readonly journal: Journal; readonly hashing: Hashing },
  uploads: readonly UploadInKey[],
  isOurs: (place: GarbagePlace) => boolean,
): Promise<SweptBytes> {
  const rows = committedRows(log.journal, log.hashing)
  const swept: SweptBytes = { contents: 0, blobs: [], sideRows: [] }
  const isSwept = async (place: GarbagePlace): Promise<boolean> =>
    !isOurs(place) && (await rows.get(garbageTable.key(place))) === undefined
  for (const upload of uploads) {
    const { parts, aborted } = await freedParts(rows, upload)
    for (const { added, place } of parts) {
      if (!(await isSwept(place))) continue
      const { event } = await readEvent(log, added)
      if (event.type === 'PartAdded') addContent(swept, event.data.content)
    }
    // While a sweep erases them, they are still parts.
    if (aborted !== undefined && (await isSwept(aborted))) await addParts(swept, rows, upload)
  }
  return swept
}

async function addParts(swept: SweptBytes, rows: Rows, { upload }: UploadInKey): Promise<void> {
  for (const { row } of await rows.all<PartRow>(partTable.ofUpload(upload))) addContent(swept, row.content)
}

function addContent(swept: SweptBytes, content: Content): void {
  if (content.kind !== 'blob') return
  const { blob, sealed } = content
  const { blobs, sideRows } = swept
  swept.contents++
  if (blob.inline) sideRows.push(inlineTable.key(blob.id))
  else blobs.push(blob.id)
  if (sealed !== undefined) sideRows.push(dataKeyTable.key(blob.id))
}
