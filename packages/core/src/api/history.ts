/** Reads the log: events in order, the history of one key, and the wait for new commits. */
import type { Lives } from '../views/lives.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Hashing, RowRange, RowReader, Seq } from '../ports/index.ts'
import { walkRows } from '../reads/row-walk.ts'
import { inBase, type KeyThen } from '../views/versions-in.ts'
import { committedRows, type KeyedRow } from '../views/row-reader.ts'
import type { DeletedBucketRow, PartRow } from '../views/rows.ts'
import {
  annotationTable,
  bucketTable,
  deletedBucketTable,
  partTable,
  pastAnnotationTable,
  pastPartTable,
  pastUploadTable,
  pastVersionTable,
  uploadTable,
  versionTable,
} from '../views/tables.ts'
import type { Engine } from '../engine/engine.ts'
import { atCall } from './arguments/at-call.ts'
import { cancelable, checkPlace, optionsOf } from './arguments/common.ts'
import { logOptions } from './arguments/log-options.ts'
import { type LogRange, readEvent, readLog } from '../events/log.ts'
import { eventFilter } from '../following/event-filter.ts'
import { awaitedCommit } from '../following/next-commit.ts'
import { positionOrStart } from '../moments/position-or-start.ts'
import type { Cancelable, LogOptions } from './types/index.ts'

/**
 * Events in order. The hash chain is checked from each event to the next.
 * @throws StorageError `LogCorrupt`; the signal's reason when it aborts.
 * @throws StorageError `InvalidArgument` for a wrong option; `MomentOutOfRange`.
 */
export function followLog(engine: Engine, options?: LogOptions): AsyncIterable<RecordedEvent> {
  return walkLog(
    engine,
    atCall(() => optionsOf(logOptions, options)),
  )
}

async function* walkLog(engine: Engine, options: () => LogOptions): AsyncGenerator<RecordedEvent> {
  const { follow = false, signal, ...given } = options()
  engine.assertOpen()
  await engine.fresh()
  const { from, to } = await boundsOf(engine, given)
  const matches = eventFilter(given)
  let span = spanFirst
  let prev: string | undefined
  for (let next = from; next <= to; ) {
    const end = Math.min(to, engine.writer.committed, next + span - 1)
    if (next > end) {
      if (!follow || engine.closed) return
      await awaitedCommit(engine, next, signal)
      prev = undefined
      continue
    }
    const read = await readSpan(engine, { from: next, to: end, ...(prev !== undefined && { prev }) }, signal)
    for (const event of read.events) {
      if (!matches(event)) continue
      signal?.throwIfAborted()
      yield event
    }
    if ('error' in read) throw read.error
    next += read.events.length
    prev = read.hash
    span = read.events.length < span ? Math.max(1, read.events.length) : Math.min(spanMax, 2 * span)
  }
}

/** The most events, and their bytes, that a reader of the log holds while it waits. */
const [spanFirst, spanMax, spanBytes] = [16, 128, 64 * 1024]

interface ReadSpan {
  readonly events: readonly RecordedEvent[]
  /** The hash of the last event. */
  readonly hash?: string
  /** What came after these events. */
  readonly error?: unknown
}

/** Reads a short span of the log as a whole. So no journal holds what it has read ahead for a reader that waits. */
async function readSpan(engine: Engine, range: LogRange, signal: AbortSignal | undefined): Promise<ReadSpan> {
  const events: RecordedEvent[] = []
  let hash = ''
  let size = 0
  try {
    for await (const decoded of readLog(engine.pacedLog, range)) {
      signal?.throwIfAborted()
      events.push(decoded.event)
      hash = decoded.hash
      size += decoded.size
      if (size >= spanBytes) break
    }
    return { events, hash }
  } catch (error) {
    return { events, error }
  }
}

/** The positions that both the positions and the moments of the options allow. */
async function boundsOf(
  engine: Engine,
  { from = 1, to = Number.POSITIVE_INFINITY, since, until }: Pick<LogOptions, 'from' | 'to' | 'since' | 'until'>,
): Promise<{ readonly from: Seq; readonly to: Seq }> {
  const after = since === undefined ? 0 : await positionOrStart(engine, since)
  const last = until === undefined ? to : await positionOrStart(engine, until)
  return { from: Math.max(from, after + 1), to: Math.min(to, last) }
}

/**
 * All events of one key in order: versions, delete markers, removals, annotations, and uploads with all of their parts.
 * Includes the events of deleted buckets that had the same name.
 */
export function keyHistory(
  engine: Engine,
  bucket: string,
  key: string,
  options?: Cancelable,
): AsyncIterable<RecordedEvent> {
  const given = atCall(() => {
    checkPlace(bucket, key)
    return { bucket, key, ...optionsOf(cancelable, options) }
  })
  return walkHistory(engine, given)
}

async function* walkHistory(
  engine: Engine,
  given: () => Cancelable & { readonly bucket: string; readonly key: string },
): AsyncGenerator<RecordedEvent> {
  const { bucket, key, signal } = given()
  engine.assertOpen()
  // A key may have a million events, so their positions are kept in 8 bytes each.
  const positions = await engine.withSnapshot(async (rows) =>
    Float64Array.from(await positionsOf(rows, engine.ports.hashing, bucket, key)).sort(),
  )
  for (const seq of positions) {
    signal?.throwIfAborted()
    const { event } = await readEvent(engine.pacedLog, seq)
    // What a fork has of its base came with the event that created the fork, which is about no key.
    if ('key' in event.data) yield event
  }
}

/** In a fork, the history of a key begins with that in the base, up to the fork. */
async function positionsOf(
  reader: RowReader,
  hashing: Hashing,
  bucket: string,
  key: string,
): Promise<ReadonlySet<Seq>> {
  const rows = committedRows(reader, hashing)
  const positions = new Set<Seq>()
  let place: KeyThen | undefined = { bucket, row: await rows.get(bucketTable.key(bucket)), key }
  for (; place !== undefined; place = await inBase(rows, place)) {
    const { at = Number.POSITIVE_INFINITY } = place
    for (const seq of await ownPositions(reader, hashing, place.bucket, key)) if (seq <= at) positions.add(seq)
  }
  return positions
}

async function ownPositions(
  reader: RowReader,
  hashing: Hashing,
  bucket: string,
  key: string,
): Promise<ReadonlySet<Seq>> {
  const positions = new Set<Seq>()
  for (const range of [
    versionTable.ofKey(bucket, key),
    pastVersionTable.ofKey(bucket, key),
    annotationTable.ofKey(bucket, key),
    pastAnnotationTable.ofKey(bucket, key),
  ]) {
    for await (const { row } of walked<MadeRow>(reader, hashing, range)) addPositions(positions, row)
  }
  for (const range of await uploadRanges(reader, hashing, bucket, key)) {
    for await (const { row } of walked<MadeRow & { readonly seq: Seq }>(reader, hashing, range)) {
      addPositions(positions, row)
      for await (const part of walked<PartRow>(reader, hashing, partTable.ofUpload(row.seq)))
        positions.add(part.row.seq)
      for await (const part of walked(reader, hashing, pastPartTable.ofUpload(row.seq)))
        positions.add(pastPartTable.added(part.key))
    }
  }
  return positions
}

/** The row ranges of a key's uploads: ended uploads, uploads in progress, and those that a deleted bucket left. */
async function uploadRanges(
  reader: RowReader,
  hashing: Hashing,
  bucket: string,
  key: string,
): Promise<readonly RowRange[]> {
  const rows = committedRows(reader, hashing)
  const live = await rows.get(bucketTable.key(bucket))
  const left = await rows.all<DeletedBucketRow>(deletedBucketTable.range)
  const places = [...left.map(({ row }) => row), ...(live === undefined ? [] : [{ bucket, ...live }])]
  const ofName = places.filter((place) => place.bucket === bucket)
  return [pastUploadTable.ofKey(bucket, key), ...ofName.map((place) => uploadTable.ofKey(place, key))]
}

/** The positions that a row has of the events that created, changed and ended it. */
interface MadeRow {
  readonly seq?: Seq
  readonly since?: Seq
  readonly until?: Seq
  readonly lives?: Lives
}

function addPositions(positions: Set<Seq>, { seq, since, until, lives = [] }: MadeRow): void {
  const ends = lives.flatMap((life) => [life.from, life.until])
  for (const position of [seq, since, until, ...ends]) if (position !== undefined) positions.add(position)
}

async function* walked<R>(reader: RowReader, hashing: Hashing, range: RowRange): AsyncGenerator<KeyedRow<R>> {
  const walk = walkRows<R>(reader, hashing, range)
  try {
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) yield found
  } finally {
    await walk.close()
  }
}
