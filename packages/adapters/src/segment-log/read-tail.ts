/**
 * Reads the log after a position, as a crash left it. A segment that has a successor was durable before the successor
 * was created, so it must be complete. The last segment ends at the first record that is not complete.
 */
import { FileWindow } from './format/file-window.ts'
import { beforeAll, type LogPosition } from './format/log-position.ts'
import { endOf } from './format/record-header.ts'
import { after, follows, nextHeader, type ScannedRecord, type ScanOptions, wholeRecord } from './format/scan-records.ts'
import type { SegmentFiles } from './segment-files.ts'
import { segmentHeaderLength } from './format/segment-header.ts'
import { segmentDamage } from './format/segment-names.ts'

export interface FoundRecord {
  readonly record: ScannedRecord
  readonly before: LogPosition
  readonly after: LogPosition
  /** True when the record was certainly durable. Otherwise it may not be on the disk. */
  readonly sure: boolean
}

export interface Tail {
  readonly end: LogPosition
  /** Where the records begin that may not be durable, if there are any, or the segment whose name may not be. */
  readonly unsureFrom: LogPosition | undefined
  /** Nothing lies after the end, and everything before it is durable: the file can be written to. */
  readonly clean: boolean
}

/**
 * Passes every record from `start` to the end of the log to `onRecord`, in order.
 * @throws StorageError `LogCorrupt` for damage that no crash explains.
 */
export async function readTail(
  files: SegmentFiles,
  start: LogPosition,
  last: number,
  onRecord: (found: FoundRecord) => Promise<void>,
): Promise<Tail> {
  if (last === 0) return { end: beforeAll, unsureFrom: beforeAll, clean: false }
  if (start.segment > last) throw segmentDamage(start.segment, 'missing', 'is missing')
  let position = start
  while (position.segment < last) position = await readSealed(files, position, onRecord)
  return readLast(files, position, onRecord)
}

/** Reads a whole segment that has a successor; returns the start of that successor. */
async function readSealed(
  files: SegmentFiles,
  start: LogPosition,
  onRecord: (found: FoundRecord) => Promise<void>,
): Promise<LogPosition> {
  const { segment } = start
  const { seed } = await files.header(segment)
  const { previous } = await files.header(segment + 1)
  const end = previous.offset
  const reached = await files.using(segment, async (file) => {
    const window = new FileWindow(file, end)
    let position = start
    while (position.offset < end) {
      const record = await wholeRecord(window, position.offset, { segment, seed, end, values: false })
      if (record === undefined || !follows(record, position)) throw damagedAt(position)
      const next = after(record, position)
      await onRecord({ record, before: position, after: next, sure: true })
      position = next
    }
    return position
  })
  if (reached.offset !== end || reached.head !== previous.head || Buffer.compare(reached.link, previous.link) !== 0) {
    throw segmentDamage(segment, 'chain', 'does not end where the next one begins', reached.head + 1)
  }
  return { ...reached, segment: segment + 1, offset: segmentHeaderLength }
}

async function readLast(
  files: SegmentFiles,
  start: LogPosition,
  onRecord: (found: FoundRecord) => Promise<void>,
): Promise<Tail> {
  const { segment } = start
  const { seed, born, previous } = await files.header(segment)
  return files.using(segment, async (file) => {
    const { size } = await file.stat()
    if (size < Math.max(start.offset, born)) throw damagedAt(start)
    // Records after the first part, and records that reached the views, were written after the file's name was durable.
    const named = size > born || start.offset > segmentHeaderLength
    const options = { segment, seed, end: size, values: true }
    const window = new FileWindow(file, size)
    const sure = named ? Math.max(start.offset, born) : start.offset
    const { position, held } = await readGroups({ window, options, onRecord }, start, sure)
    await assertTorn(window, position, options)
    for (const found of held) await onRecord({ ...found, sure: false })
    const unsureFrom = named ? held[0]?.before : { ...previous, segment: segment - 1 }
    return { end: position, unsureFrom, clean: position.offset === size && unsureFrom === undefined }
  })
}

type HeldRecord = Omit<FoundRecord, 'sure'>

interface GroupReading {
  readonly window: FileWindow
  readonly options: ScanOptions
  readonly onRecord: (found: FoundRecord) => Promise<void>
}

/** Passes on the durable records before the first incomplete one. The last group may not be durable: it is returned. */
async function readGroups(
  { window, options, onRecord }: GroupReading,
  start: LogPosition,
  sureFrom: number,
): Promise<{ readonly position: LogPosition; readonly held: readonly HeldRecord[] }> {
  let sure = sureFrom
  let held: HeldRecord[] = []
  let position = start
  for (;;) {
    const record = await wholeRecord(window, position.offset, options)
    if (record === undefined || !follows(record, position)) return { position, held }
    const found = { record, before: position, after: after(record, position) }
    // A later group began only when the groups before it were durable.
    sure = Math.max(sure, record.header.group)
    if (held[0] !== undefined && held[0].before.offset < sure) {
      for (const each of held) await onRecord({ ...each, sure: true })
      held = []
    }
    if (position.offset < sure) await onRecord({ ...found, sure: true })
    else held.push(found)
    position = found.after
  }
}

/** @throws StorageError `LogCorrupt` when a later record states that the broken one was durable. */
async function assertTorn(
  window: FileWindow,
  { segment, offset, head }: LogPosition,
  options: { seed: number; end: number },
) {
  for (let at = offset; ; ) {
    const header = await nextHeader(window, at, options)
    if (header === undefined) return
    if (header.group > offset) throw damagedAt({ segment, offset, head })
    at = endOf(header)
  }
}

const damagedAt = ({ segment, offset, head }: Omit<LogPosition, 'link'>) =>
  segmentDamage(segment, 'record', `is damaged at byte ${offset}`, head + 1)
