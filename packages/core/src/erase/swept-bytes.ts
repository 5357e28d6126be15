/** Finds bytes of versions and of parts that a sweep has erased: the files of the store may still have them. */
import type { Content, ErasedVersion, Erasure } from '../events/index.ts'
import { readEvent, readLog } from '../events/log.ts'
import type { BlobId, Hashing, Journal } from '../ports/index.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import { erasingTable, type GarbagePlace, garbageTable, placeName } from '../views/content-tables.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { PartRow } from '../views/rows.ts'
import { dataKeyTable, inlineTable, partTable } from '../views/tables.ts'
import { freedParts, type UploadInKey } from '../views/unseen-parts.ts'

export interface SweptBytes {
  contents: number
  /** Contents whose erasure has started: reads in progress need them. */
  waiting: number
  /** What had them, by the events that freed them; also if reads in progress need them. */
  readonly versions: SweptContent[]
  /** Parts of uploads that no version ever had. */
  readonly parts: SweptContent[]
  readonly blobs: BlobId[]
  /** The keys of the rows with inline bytes and with data keys. */
  readonly sideRows: Uint8Array[]
}

export interface SweptContent {
  readonly version?: ErasedVersion
  readonly erasure: Erasure
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
  const swept: SweptBytes = { contents: 0, waiting: 0, versions: [], parts: [], blobs: [], sideRows: [] }
  const stateOf = async (place: GarbagePlace): Promise<State> => {
    if (isOurs(place) || (await rows.get(garbageTable.key(place))) !== undefined) return 'kept'
    if ((await rows.get(erasingTable.key(place))) === undefined) return 'swept'
    swept.waiting++
    return 'erasing'
  }
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
  for (const upload of uploads) await addUpload({ swept, log, rows, stateOf }, upload)
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

/** `kept`: it waits for its erasure. `erasing`: reads in progress need it. */
type State = 'kept' | 'erasing' | 'swept'

interface Adding {
  readonly swept: SweptBytes
  readonly log: SweptLog
  readonly rows: Rows
  stateOf(place: GarbagePlace): Promise<State>
}

/** The parts of an abort have one place, which its last part ends. */
async function addUpload({ swept, log, rows, stateOf }: Adding, upload: UploadInKey): Promise<void> {
  const { parts, aborted } = await freedParts(rows, upload)
  const contents: { readonly place: GarbagePlace; readonly content: Content }[] = []
  for (const { added, place } of parts) {
    const { event } = await readEvent(log, added)
    if (event.type === 'PartAdded') contents.push({ place, content: event.data.content })
  }
  if (aborted !== undefined) {
    for (const { row } of await rows.all<PartRow>(partTable.ofUpload(upload.upload)))
      contents.push({ place: aborted, content: row.content })
  }
  const states = new Map<string, State>()
  const lastAt = new Map(contents.map(({ place }, i) => [placeName(place), i]))
  for (const [i, { place, content }] of contents.entries()) {
    const name = placeName(place)
    const state = states.get(name) ?? (await stateOf(place))
    states.set(name, state)
    if (state === 'kept') continue
    if (state === 'swept') addContent(swept, content)
    const continues = lastAt.get(name) !== i
    swept.parts.push({ erasure: { ...place, content, ...(continues && { continues }) } })
  }
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
