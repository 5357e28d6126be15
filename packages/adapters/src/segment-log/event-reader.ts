/** Reads the events of the log, one piece of a segment at a time, from the place that the index names. */
import type { Seq, StoredEvent, StoredEvents } from '@varve/core'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { pagedEvents } from '../journal-kit/paged-events.ts'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import type { OpenFile } from '../files/file-system.ts'
import { FileWindow } from './format/file-window.ts'
import { firstSegment, type LogPosition } from './format/log-position.ts'
import type { Overlay } from './overlay.ts'
import { readRecordEvents } from './format/record-body.ts'
import {
  endOf,
  lengthBeforeValues,
  readRecordHeader,
  type RecordHeader,
  recordHeaderLength,
} from './format/record-header.ts'
import { nextHeader } from './format/scan-records.ts'
import type { SegmentFiles } from './segment-files.ts'
import { segmentHeaderLength } from './format/segment-header.ts'
import { decodeEventPlace, eventPlaceKey, firstEventPlaceKey } from './format/view-entries.ts'

export interface EventReaderParts {
  readonly db: LevelDatabase
  readonly gate: JournalGate
  readonly overlay: Overlay
  readonly files: SegmentFiles
  /** The end of the log. */
  readonly end: () => LogPosition
}

interface EventRange {
  readonly from?: Seq
  readonly to?: Seq
}

/** The place where the search for the next record begins. */
interface Place {
  segment: number
  offset: number
}

/**
 * Skips what it cannot read: the caller detects the gap, and gets the events after it. It returns the bytes of events
 * unchecked; each event has a checksum of its own.
 */
export const readEvents = (parts: EventReaderParts, range?: EventRange): StoredEvents =>
  pagedEvents(parts.gate, () => readPages(parts, range))

async function* readPages(
  parts: EventReaderParts,
  { from = 1, to = Number.POSITIVE_INFINITY }: EventRange = {},
): AsyncGenerator<readonly StoredEvent[]> {
  const { gate } = parts
  gate.assertOpen()
  const end = parts.end()
  const last = Math.min(to, end.head)
  if (last < from) return
  const place = await gate.read(() => placeOf(parts, from))
  const read = () => gate.read(() => nextEvents(parts, place, end, { from, to: last }))
  let reading = read()
  for (let reached = from - 1; reached < last; ) {
    const events = await reading
    if (events === undefined) return
    reached = events.at(-1)?.seq ?? reached
    // Reads the next piece meanwhile. If that fails, the error is thrown when the piece is needed.
    if (reached < last) (reading = read()).catch(() => undefined)
    gate.assertOpen()
    yield events
  }
}

/** Where the search for an event begins: at most 64 KiB before it, or at the record before that. */
async function placeOf({ db, overlay }: EventReaderParts, seq: Seq): Promise<Place> {
  const recent = overlay.eventPlaceOf(seq)
  if (recent !== undefined) return { segment: recent.segment, offset: recent.offset }
  const iterator = db.iterator({ gte: firstEventPlaceKey, lte: eventPlaceKey(seq), reverse: true, limit: 1 })
  try {
    const [found] = await iterator.nextv(1)
    if (found === undefined) return { segment: firstSegment, offset: segmentHeaderLength }
    const { segment, offset } = decodeEventPlace(...found)
    return { segment, offset }
  } finally {
    await iterator.close()
  }
}

/** The events of the next piece of the log, possibly none; `undefined` at its end. Moves `place`. */
async function nextEvents(
  { files }: EventReaderParts,
  place: Place,
  end: LogPosition,
  range: Required<EventRange>,
): Promise<StoredEvent[] | undefined> {
  const stop = place.segment === end.segment ? end.offset : await files.endOf(place.segment)
  if (place.offset >= stop) {
    if (place.segment >= end.segment) return undefined
    place.segment++
    place.offset = segmentHeaderLength
    return []
  }
  const { seed } = await files.header(place.segment)
  return files.using(place.segment, (file) => eventsOfPiece(file, place, { seed, end: stop }, range))
}

interface Bounds {
  readonly seed: number
  readonly end: number
}

async function eventsOfPiece(
  file: OpenFile,
  place: Place,
  { seed, end }: Bounds,
  { from, to }: Required<EventRange>,
): Promise<StoredEvent[]> {
  const window = new FileWindow(file, end)
  const events: StoredEvent[] = []
  const first = await window.load(place.offset, recordHeaderLength)
  if (first.length < recordHeaderLength) place.offset = end
  while (place.offset < end) {
    const head = window.peek(place.offset, recordHeaderLength)
    if (head === undefined) break
    const header = readRecordHeader(head, place.offset, seed)
    if (header === undefined) {
      place.offset = (await nextHeader(window, place.offset + 1, { seed, end }))?.offset ?? end
      break
    }
    if (header.head >= to) {
      place.offset = end
      break
    }
    if (header.head + header.events >= from) {
      const length = lengthBeforeValues(header)
      const bytes = window.peek(place.offset, length)
      if (bytes === undefined && events.length > 0) break
      addEvents(events, header, bytes ?? (await window.load(place.offset, length)), { from, to })
    }
    place.offset = endOf(header)
  }
  return events
}

function addEvents(
  events: StoredEvent[],
  header: RecordHeader,
  record: Buffer,
  { from, to }: Required<EventRange>,
): void {
  if (record.length < lengthBeforeValues(header)) return
  let seq = header.head
  for (const bytes of readRecordEvents(header, record) ?? []) {
    seq++
    if (seq >= from && seq <= to) events.push({ seq, bytes })
  }
}
