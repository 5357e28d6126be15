/**
 * Frees the space of values that no row points to any more. The segment is copied without them into a file with holes,
 * with everything else at the same place, and the file takes the segment's name. So places stay valid, and events stay
 * for ever. Values that must go are left out too, also short ones, and so are the remains of commits behind the last record.
 */
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { rowKey } from '../journal-kit/key-spaces.ts'
import { privateFile, syncDirectory } from '../files/durable-files.ts'
import { allowing } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { readUpTo } from '../files/read-up-to.ts'
import { writeAll } from '../files/write-all.ts'
import { FileWindow } from './format/file-window.ts'
import type { Place } from './format/log-position.ts'
import { isPlace } from './long-values.ts'
import { clearValues } from './format/clear-values.ts'
import { isValueOf, type StoredRow } from './format/record-body.ts'
import { endOf, lengthBeforeValues } from './format/record-header.ts'
import { type ScannedRecord, wholeRecord } from './format/scan-records.ts'
import { keyOf } from '../journal-kit/row-name.ts'
import type { SegmentFiles } from './segment-files.ts'
import { segmentHeaderLength } from './format/segment-header.ts'
import { segmentDamage, segmentPath, unfinishedPath } from './format/segment-names.ts'
import { decodeRow } from './format/view-entries.ts'

export interface ReclaimParts {
  readonly fs: FileSystem
  readonly directory: string
  readonly files: SegmentFiles
  /** A database that has all rows of the segment. */
  readonly db: LevelDatabase
}

const none: ReadonlySet<string> = new Set()

/**
 * Resolves with the bytes of values that are left. If anything fails, the segment stays as it was. `cleared`: the names of removed rows
 * of which nothing must be left.
 * @throws StorageError `LogCorrupt` when the segment is damaged: damage must not be copied.
 */
export async function reclaimSegment(parts: ReclaimParts, segment: number, cleared = none): Promise<number> {
  const { fs, directory, files } = parts
  const end = await files.endOf(segment)
  const { seed } = await files.header(segment)
  const temporary = unfinishedPath(directory, segment)
  return files.using(segment, async (source) => {
    await allowing('ENOENT', () => fs.unlink(temporary))
    const target = await fs.open(temporary, 'wx', privateFile)
    let left: number
    try {
      left = await copyLive(parts, segment, { source, target, seed, end, cleared })
      await target.sync()
    } catch (error) {
      await target.close().catch(() => undefined)
      await fs.unlink(temporary).catch(() => undefined)
      throw error
    }
    await target.close()
    try {
      // A system that does not replace an open file refuses this; then the space is not freed.
      await fs.rename(temporary, segmentPath(directory, segment))
    } catch (error) {
      await fs.unlink(temporary).catch(() => undefined)
      throw error
    }
    files.retire(segment)
    await syncDirectory(fs, directory)
    return left
  })
}

interface Copy {
  readonly source: OpenFile
  readonly target: OpenFile
  readonly seed: number
  readonly end: number
  readonly cleared: ReadonlySet<string>
}

async function copyLive({ db }: ReclaimParts, segment: number, copy: Copy): Promise<number> {
  const { source, target, seed, end, cleared } = copy
  await writeAll(target, await readUpTo(source, 0, segmentHeaderLength), 0)
  const window = new FileWindow(source, end)
  let left = 0
  let record: ScannedRecord
  for (let offset = segmentHeaderLength; offset < end; offset = endOf(record.header)) {
    const found = await wholeRecord(window, offset, { segment, seed, end, values: false })
    if (found === undefined) throw segmentDamage(segment, 'record', `is damaged at byte ${offset}`)
    record = found
    await writeAll(target, withoutValues(record, segment, cleared), offset)
    for (const row of await liveRows(db, segment, record.rows)) {
      left += await copyValue(source, target, segment, row)
    }
  }
  // Keeps the length of the file, even if a hole is at its end.
  await writeAll(target, await readUpTo(source, end - 1, 1), end - 1)
  return left
}

/** The record before its long values, with nothing in it of the short values of these rows. */
function withoutValues({ header, bytes, rows }: ScannedRecord, segment: number, cleared: ReadonlySet<string>): Buffer {
  const before = bytes.subarray(0, lengthBeforeValues(header))
  const gone = cleared.size === 0 ? [] : rows.filter(({ name }) => cleared.has(name))
  if (gone.length === 0) return before
  const copy = Buffer.from(before)
  if (clearValues(copy, header, gone)) return copy
  throw segmentDamage(segment, 'value', `has a value at byte ${header.offset} that is too short to be left out`)
}

/** The rows whose long values are in this segment according to the views. A dead value stays dead. */
async function liveRows(db: LevelDatabase, segment: number, rows: readonly StoredRow[]): Promise<StoredRow[]> {
  const long = rows.filter(({ found }) => isPlace(found))
  if (long.length === 0) return long
  const entries = await db.getMany(
    long.map(({ name }) => rowKey(keyOf(name))),
    {},
  )
  return long.filter(({ name, found }, i) => {
    const entry = entries[i]
    const live = entry === undefined ? undefined : decodeRow(keyOf(name), entry)
    return isPlace(live) && isPlace(found) && live.segment === segment && live.offset === found.offset
  })
}

async function copyValue(source: OpenFile, target: OpenFile, segment: number, row: StoredRow): Promise<number> {
  const { offset, length } = row.found as Place
  const bytes = await readUpTo(source, offset, length)
  if (!isValueOf(row, bytes)) throw segmentDamage(segment, 'value', `is damaged at byte ${offset}`)
  await writeAll(target, bytes, offset)
  return length
}
