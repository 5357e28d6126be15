import type { Seq } from '../ports/index.ts'
import type { GarbagePlace } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import { bucketTable, uploadTable } from '../views/tables.ts'
import { unseenParts } from '../views/unseen-parts.ts'
import type { Rule } from './rule.ts'

/** So that an upload whose parts were replaced very often takes several commits. */
export const contentsMax = 1000

interface Candidate {
  readonly key: string
  readonly upload: Seq
  readonly isInProgress: boolean
  /** Where bytes of it wait for their erasure. */
  readonly places: readonly GarbagePlace[]
}

/**
 * Aborts the uploads that are in progress and starts the erasure of all bytes of the uploads that no version ever had. Snapshots, forks and
 * tasks need no such bytes. No effect for what waits no more.
 */
export const eraseUploads: Rule<'EraseUploads', readonly Candidate[]> = {
  async load(rows, { bucket, uploads }) {
    const incarnation = (await rows.get(bucketTable.key(bucket)))?.incarnation
    const found: Candidate[] = []
    for (const { key, upload } of uploads) {
      const isInProgress = incarnation !== undefined && (await isOpen(rows, { bucket, incarnation }, { key, upload }))
      const unseen = await unseenParts(rows, { bucket, key, upload })
      found.push({ key, upload, isInProgress, places: unseen.map(({ place }) => place) })
    }
    return found
  },

  decide(candidates, { bucket }, _meta, { end }) {
    const aborted = candidates.filter(({ isInProgress }) => isInProgress)
    const freed = aborted.map((_, i): GarbagePlace => ({ freedBy: end.seq + 1 + i, index: 0 }))
    const contents = [...freed, ...candidates.flatMap(({ places }) => places)].slice(0, contentsMax)
    if (contents.length === 0) return []
    return [
      ...aborted.map(({ key, upload }) => ({ type: 'UploadAborted', data: { bucket, key, upload } }) as const),
      { type: 'ErasureRequested', data: { bucket, versions: [] } },
      { type: 'ErasureStarted', data: { contents } },
    ]
  },
}

const isOpen = async (
  rows: Rows,
  place: { readonly bucket: string; readonly incarnation: Seq },
  { key, upload }: Pick<Candidate, 'key' | 'upload'>,
): Promise<boolean> => (await rows.get(uploadTable.key(place, key, upload))) !== undefined
