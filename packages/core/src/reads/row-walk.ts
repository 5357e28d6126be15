/** Walks over the rows of one table: a cursor with read-ahead, which a jump discards. */
import { compareBytes } from '../bytes/bytes.ts'
import type { Hashing, Row, RowRange, RowReader } from '../ports/index.ts'
import { decodeRow } from '../views/row-codec.ts'
import type { KeyedRow } from '../views/row-reader.ts'

/** A walk over rows, for listings. `skipTo` jumps forward; rows before the place are never returned. */
export interface Walk<T> {
  /** Returns rows that were read ahead without a promise: a promise per row would take longer than the row. */
  next(): Promise<T | undefined> | T | undefined
  skipTo(place: Uint8Array): void
  close(): Promise<void>
}

const batchMin = 16
const batchMax = 1024
/** Where it is not known how many rows are wanted. Larger batches cost more in garbage collection than they save. */
const grownMax = 256

/** Reading so many rows that are not meant costs as much as a jump over them. */
const rowsPerJump = 16
/** How many rows are read behind a jump where each row that is meant is far from the next one. */
const batchFar = 2
/** Where a journal knows groups, `batchBehind` takes its place: behind a jump it gives the first row of each group. */
const batchAnew = (): number => batchMin
/** Of so many jumps to rows that are far apart, one is followed by a larger batch, which shows whether they still are. */
const jumpsPerTrial = 16

export interface WalkOptions<R = never, T = KeyedRow<R>> {
  /** How many rows will be read if none is skipped, if that is known. */
  readonly wanted?: number | undefined
  /** Where to go on if the row at a key is not meant. It is then not decoded. */
  readonly passing?: ((key: Uint8Array) => Uint8Array | undefined) | undefined
  /** What the walk returns for a row. @default the row with its key */
  readonly make?: (key: Uint8Array, row: R) => T
}

/** `never`: it fits where the type of what a walk returns is not given. */
const keyedRow = (key: Uint8Array, row: unknown): never => ({ key, row }) as never

export function walkRows<R, T = KeyedRow<R>>(
  reader: RowReader,
  hashing: Hashing,
  range: RowRange,
  { wanted = batchMin, passing, make = keyedRow }: WalkOptions<R, T> = {},
): Walk<T> {
  const cursor = reader.cursor(range)
  let buffer: readonly Row[] = []
  let at = 0
  let batch = Math.min(wanted, batchMax)
  let begun = false
  let taken = 0
  let jumpsFar = 0
  /** The last row that was taken. A jump to a place before it would make the walk go in circles. */
  let last: Uint8Array | undefined

  /** `null`: the next row that is meant, if any, has to be read. */
  const take = (): T | null => {
    while (at < buffer.length) {
      const [key, frame] = buffer[at] as Row
      const place = passing?.(key)
      if (place !== undefined) {
        jump(place, batchBehind)
        continue
      }
      // Advance before decoding, so that a search for damage can continue after a damaged row.
      at++
      taken++
      last = key
      return make(key, decodeRow<R>(hashing, key, frame))
    }
    return null
  }

  async function fill(): Promise<T | undefined> {
    for (;;) {
      buffer = await cursor.next(batch)
      at = 0
      if (buffer.length === 0) return undefined
      batch = Math.min(batch * 4, grownMax)
      const found = take()
      if (found !== null) return found
    }
  }

  /** The size of the batch behind rows that are not meant, by how many that are meant the last one had. */
  function batchBehind(): number {
    if (taken > 1) return taken * rowsPerJump
    return ++jumpsFar % jumpsPerTrial === 0 ? 2 * rowsPerJump : batchFar
  }

  function jump(place: Uint8Array, nextBatch: () => number): void {
    while (at < buffer.length && compareBytes((buffer[at] as Row)[0], place) < 0) at++
    if (at < buffer.length || (last !== undefined && compareBytes(place, last) <= 0)) return
    cursor.seek(place)
    buffer = []
    at = 0
    if (begun) batch = Math.min(nextBatch(), grownMax)
    taken = 0
  }

  return {
    next() {
      begun = true
      return take() ?? fill()
    },
    skipTo: (place) => jump(place, range.groups === undefined ? batchAnew : batchBehind),
    close: () => cursor.close(),
  }
}

/** The first rows of a range, at most `count`. */
export async function firstRows<R>(
  reader: RowReader,
  hashing: Hashing,
  range: RowRange,
  count: number,
): Promise<readonly KeyedRow<R>[]> {
  const walk = walkRows<R>(reader, hashing, range, { wanted: count })
  const rows: KeyedRow<R>[] = []
  try {
    while (rows.length < count) {
      const found = await walk.next()
      if (found === undefined) break
      rows.push(found)
    }
    return rows
  } finally {
    await walk.close()
  }
}
