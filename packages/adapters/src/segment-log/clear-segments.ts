/** Finds the segments that still have values of removed rows, and copies them without these. */
import { readUpTo } from '../files/read-up-to.ts'
import type { OpenFile } from '../files/file-system.ts'
import { type CopyParts, copySegment } from './copy-segment.ts'
import { isCleared } from './format/clear-values.ts'
import { FileWindow } from './format/file-window.ts'
import { firstSegment } from './format/log-position.ts'
import { endOf, type RecordHeader } from './format/record-header.ts'
import type { StoredRow } from './format/record-body.ts'
import { wholeRecord } from './format/scan-records.ts'
import { segmentHeaderLength } from './format/segment-header.ts'
import { segmentDamage } from './format/segment-names.ts'
import { isPlace } from './long-values.ts'
import type { SegmentFiles } from './segment-files.ts'

export interface Clearing {
  readonly names: ReadonlySet<string>
  /** The segment after the last one to copy. */
  readonly before: number
  readonly isStopped: () => boolean
}

/** False if a segment could not be read or copied: it stays as it was. */
export async function clearSegments(parts: CopyParts, { names, before, isStopped }: Clearing): Promise<boolean> {
  const { files } = parts
  let areClear = true
  for (let segment = firstSegment; segment < before; segment++) {
    if (isStopped()) return false
    try {
      const end = await files.endOf(segment)
      if (await hasValues(files, { segment, end }, names)) await copySegment(parts, segment, names)
    } catch {
      areClear = false
    }
  }
  return areClear
}

interface Extent {
  readonly segment: number
  /** The end of its records. */
  readonly end: number
}

/**
 * Whether a segment has anything of the values of these rows. What lies behind the records of a segment with a successor are commits
 * that were written again, or never acknowledged: it counts as having them.
 */
export async function hasValues(
  files: SegmentFiles,
  { segment, end }: Extent,
  names: ReadonlySet<string>,
): Promise<boolean> {
  const { seed } = await files.header(segment)
  return files.using(segment, async (file) => {
    if ((await file.stat()).size > end) return true
    const window = new FileWindow(file, end)
    let header: RecordHeader
    for (let offset = segmentHeaderLength; offset < end; offset = endOf(header)) {
      const record = await wholeRecord(window, offset, { segment, seed, end, values: false })
      if (record === undefined) throw segmentDamage(segment, 'record', `is damaged at byte ${offset}`)
      header = record.header
      for (const row of record.rows) if (names.has(row.name) && (await hasValue(file, row))) return true
    }
    return false
  })
}

async function hasValue(file: OpenFile, { found }: StoredRow): Promise<boolean> {
  if (found === null) return false
  return !isCleared(isPlace(found) ? await readUpTo(file, found.offset, found.length) : found)
}
