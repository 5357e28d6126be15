/** Finds the uploads of an erasure: those in progress, and those that have ended and left bytes which no version had. */
import type { EraseRequest } from '../api/types/index.ts'
import type { Epoch } from '../base/epoch.ts'
import { StorageError } from '../base/errors.ts'
import { compareKeys } from '../bytes/compare-keys.ts'
import type { Hashing, RowRange, RowReader, Seq } from '../ports/index.ts'
import { walkRows } from '../reads/row-walk.ts'
import type { UploadIds } from '../requests/upload-ids.ts'
import { type GarbagePlace, uploadUsageTable } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { PartRow, Past, UploadRow } from '../views/rows.ts'
import { bucketTable, partTable, pastUploadTable, uploadTable } from '../views/tables.ts'
import { freedParts, unseenParts, type UnseenParts, type UploadInKey } from '../views/unseen-parts.ts'

export interface PlannedUpload {
  readonly key: string
  readonly row: UploadRow
  readonly isInProgress: boolean
  /** What waits for its erasure already. An upload in progress has its last parts besides. */
  readonly places: readonly GarbagePlace[]
  readonly parts: number
  readonly size: number
}

export interface FoundUploads {
  /** By key, then by start. */
  readonly uploads: readonly PlannedUpload[]
  /** Uploads with bytes that no version ever had and that were all erased before. */
  readonly erased: readonly UploadInKey[]
  /** The chosen keys have or had uploads. */
  readonly isKnown: boolean
}

interface Finding {
  readonly reader: RowReader
  readonly rows: Rows
  readonly hashing: Hashing
  readonly ids: UploadIds
}

export const noUploads: FoundUploads = { uploads: [], erased: [], isKnown: false }

/** @throws StorageError `NoSuchUpload` for an id that no upload of the key ever had */
export async function findUploads(finding: Finding, request: EraseRequest): Promise<FoundUploads> {
  const { rows, ids } = finding
  const { bucket, key, prefix } = request
  const uploads: PlannedUpload[] = []
  const erased: UploadInKey[] = []
  let isKnown = false
  const chosen = chosenBy(ids, request)
  const missing = new Map(chosen)
  const isChosen = ({ seq, epoch }: UploadRow): boolean => {
    if (chosen === undefined) return true
    const place = chosen.get(seq)
    if (place === undefined || place.epoch !== epoch) return false
    missing.delete(seq)
    return true
  }
  const live = await rows.get(bucketTable.key(bucket))
  if (live !== undefined) {
    const place = { bucket, incarnation: live.incarnation }
    const range = key === undefined ? uploadTable.range(place, prefix) : uploadTable.ofKey(place, key)
    await eachUpload<UploadRow>(finding, { range, request, isChosen, keyOf: uploadTable.objectKey }, async (found) => {
      uploads.push(await inProgress(rows, bucket, found))
    })
  }
  const range = key === undefined ? pastUploadTable.range(bucket, prefix ?? '') : pastUploadTable.ofKey(bucket, key)
  await eachUpload<Past<UploadRow>>(
    finding,
    { range, request, isChosen, keyOf: pastUploadTable.objectKey },
    async (found) => {
      isKnown = true
      const place = { bucket, key: found.key, upload: found.row.seq }
      const unseen = await unseenParts(rows, place)
      if (unseen.length > 0) uploads.push(await planned(rows, { ...found, isInProgress: false }, unseen))
      else if (await hadUnseen(rows, place)) erased.push(place)
    },
  )
  for (const { uploadId } of missing.values()) throw noUploadOf(uploadId)
  return { uploads: inOrder(uploads), erased, isKnown: isKnown || uploads.length > 0 }
}

async function hadUnseen(rows: Rows, upload: UploadInKey): Promise<boolean> {
  const { parts, aborted } = await freedParts(rows, upload)
  return aborted !== undefined || parts.length > 0
}

interface ChosenUpload {
  readonly uploadId: string
  readonly epoch: Epoch | undefined
}

/** By the events that started them. `undefined`: all. */
function chosenBy(ids: UploadIds, { bucket, key, uploads }: EraseRequest): ReadonlyMap<Seq, ChosenUpload> | undefined {
  if (typeof uploads !== 'object' || key === undefined) return undefined
  const chosen = new Map<Seq, ChosenUpload>()
  for (const uploadId of uploads) {
    const { upload, epoch } = ids.placeOf({ bucket, key, uploadId })
    // A place of 0 is for ids that are not valid.
    if (upload === 0) throw noUploadOf(uploadId)
    chosen.set(upload, { uploadId, epoch })
  }
  return chosen
}

const noUploadOf = (uploadId: string): StorageError =>
  new StorageError('NoSuchUpload', `The key never had the upload ${uploadId}.`, { details: { UploadId: uploadId } })

interface FoundUpload<R = UploadRow> {
  readonly key: string
  readonly row: R
}

interface UploadWalk {
  readonly range: RowRange
  readonly request: EraseRequest
  readonly isChosen: (row: UploadRow) => boolean
  readonly keyOf: (bytes: Uint8Array) => string
}

async function eachUpload<R extends UploadRow>(
  { reader, hashing }: Finding,
  { range, request, isChosen, keyOf }: UploadWalk,
  take: (found: FoundUpload<R>) => Promise<void>,
): Promise<void> {
  const walk = walkRows<R>(reader, hashing, range)
  try {
    for (let next = await walk.next(); next !== undefined; next = await walk.next()) {
      request.signal?.throwIfAborted()
      if (isChosen(next.row)) await take({ key: keyOf(next.key), row: next.row })
    }
  } finally {
    await walk.close()
  }
}

async function inProgress(rows: Rows, bucket: string, { key, row }: FoundUpload): Promise<PlannedUpload> {
  const replaced = await planned(
    rows,
    { key, row, isInProgress: true },
    await unseenParts(rows, { bucket, key, upload: row.seq }),
  )
  const parts = await rows.all<PartRow>(partTable.ofUpload(row.seq))
  const { bytes = 0 } = (await rows.get(uploadUsageTable.key(row.seq))) ?? {}
  return { ...replaced, parts: replaced.parts + parts.length, size: replaced.size + bytes }
}

async function planned(
  rows: Rows,
  upload: FoundUpload & { readonly isInProgress: boolean },
  unseen: readonly UnseenParts[],
): Promise<PlannedUpload> {
  let [parts, size] = [0, 0]
  for (const { garbage } of unseen) {
    const { content, bytes } = garbage
    parts += content.kind === 'parts' ? (await rows.all(partTable.ofUpload(content.upload))).length : 1
    size += bytes
  }
  return { ...upload, places: unseen.map(({ place }) => place), parts, size }
}

/** Of several buckets of the name too. */
const inOrder = (uploads: readonly PlannedUpload[]): readonly PlannedUpload[] =>
  uploads.toSorted((a, b) => compareKeys(a.key, b.key) || a.row.seq - b.row.seq)
