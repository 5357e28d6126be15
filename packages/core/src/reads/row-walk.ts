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

/** `wanted`: how many rows will be read if none is skipped, if that is known. */
export function walkRows<R>(
  reader: RowReader,
  hashing: Hashing,
  range: RowRange,
  wanted = batchMin,
): Walk<KeyedRow<R>> {
  const cursor = reader.cursor(range)
  let buffer: readonly Row[] = []
  let at = 0
  let batch = Math.min(wanted, batchMax)
  let begun = false

  const take = (): KeyedRow<R> | undefined => {
    const row = buffer[at]
    if (row === undefined) return undefined
    // Advance before decoding, so that a search for damage can continue after a damaged row.
    at++
    const [key, frame] = row
    return { key, row: decodeRow<R>(hashing, key, frame) }
  }

  async function fill(): Promise<KeyedRow<R> | undefined> {
    buffer = await cursor.next(batch)
    at = 0
    batch = Math.min(batch * 4, batchMax)
    return take()
  }

  return {
    next() {
      begun = true
      return at < buffer.length ? take() : fill()
    },
    skipTo(place) {
      while (at < buffer.length && compareBytes((buffer[at] as Row)[0], place) < 0) at++
      if (at < buffer.length) return
      cursor.seek(place)
      buffer = []
      at = 0
      if (begun) batch = batchMin
    },
    close: () => cursor.close(),
  }
}

/** `next` of a walk, with `make` applied to each row. */
export function mapped<T, U>({ next }: Pick<Walk<T>, 'next'>, make: (found: T) => U): Walk<U>['next'] {
  const made = (found: T | undefined) => found && make(found)
  return () => {
    const found = next()
    return found instanceof Promise ? found.then(made) : made(found)
  }
}

/** The first rows of a range, at most `count`. */
export async function firstRows<R>(
  reader: RowReader,
  hashing: Hashing,
  range: RowRange,
  count: number,
): Promise<readonly KeyedRow<R>[]> {
  const walk = walkRows<R>(reader, hashing, range, count)
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
