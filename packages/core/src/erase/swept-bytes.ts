/** Finds bytes of versions and of parts that a sweep has erased: the files of the store may still have them. */
import type { Content, ErasedVersion, Erasure } from '../events/index.ts'
import { readEvent, readLog } from '../events/log.ts'
import type { BlobId, Hashing, Journal } from '../ports/index.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import { erasingTable, type GarbagePlace, garbageTable } from '../views/content-tables.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { PartRow } from '../views/rows.ts'
import { dataKeyTable, inlineTable, partTable } from '../views/tables.ts'
import { freedParts, type UploadInKey } from '../views/unseen-parts.ts'

export interface SweptBytes {
  contents: number
  /** Contents whose erasure has started: reads in progress need them. */
  waiting: number
  /** The versions that had them, also those whose bytes wait for reads in progress. */
  readonly versions: { readonly version: ErasedVersion; readonly erasure: Erasure }[]
  readonly blobs: BlobId[]
  /** The keys of the rows with inline bytes and with data keys. */
  readonly sideRows: Uint8Array[]
}

export interface SweptLog {
  readonly journal: Journal
  readonly hashing: Hashing
}

/** A version that had bytes, and the event that freed them. */
export interface SweptVersion {
  readonly key: string
  readonly row: ObjectVersionRow
  readonly place: GarbagePlace
}

export interface Swept {
  readonly versions: readonly SweptVersion[]
  readonly uploads: readonly UploadInKey[]
  /** This erasure purges it. */
  readonly isOurs: (place: GarbagePlace) => boolean
}

/** Without what waits for its erasure. What reads in progress need is only counted, and named among the versions. */
export async function sweptBytes(log: SweptLog, { versions, uploads, isOurs }: Swept): Promise<SweptBytes> {
  const rows = committedRows(log.journal, log.hashing)
  const swept: SweptBytes = { contents: 0, waiting: 0, versions: [], blobs: [], sideRows: [] }
  const stateOf = async (place: GarbagePlace): Promise<'kept' | 'erasing' | 'swept'> => {
    if (isOurs(place) || (await rows.get(garbageTable.key(place))) !== undefined) return 'kept'
    if ((await rows.get(erasingTable.key(place))) === undefined) return 'swept'
    swept.waiting++
    return 'erasing'
  }
  const isSwept = async (place: GarbagePlace): Promise<boolean> => (await stateOf(place)) === 'swept'
  for (const version of versions) {
    const state = await stateOf(version.place)
    if (state === 'kept') continue
    const parts = state === 'swept' ? await addVersion(swept, log, version.row) : {}
    const { seq, content } = version.row
    swept.versions.push({
      version: { key: version.key, version: seq },
      erasure: { ...version.place, content, ...parts },
    })
  }
  for (const upload of uploads) {
    const { parts, aborted } = await freedParts(rows, upload)
    for (const { added, place } of parts) {
      if (!(await isSwept(place))) continue
      const { event } = await readEvent(log, added)
      if (event.type === 'PartAdded') addContent(swept, event.data.content)
    }
    if (aborted !== undefined && (await isSwept(aborted))) await addParts(swept, rows, upload)
  }
  return swept
}

/** The rows of parts are gone with them, so the log says what they were. Resolves with the numbers of the parts, if it has any. */
async function addVersion(
  swept: SweptBytes,
  log: SweptLog,
  { seq, content }: ObjectVersionRow,
): Promise<Pick<Erasure, 'partNumbers'>> {
  if (content.kind !== 'parts') {
    addContent(swept, content)
    return {}
  }
  const partNumbers = new Set<number>()
  for await (const { event } of readLog(log, { from: content.upload, to: seq })) {
    if (event.type !== 'PartAdded' || event.data.upload !== content.upload) continue
    addContent(swept, event.data.content)
    partNumbers.add(event.data.partNumber)
  }
  return { partNumbers: [...partNumbers].sort((a, b) => a - b) }
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
