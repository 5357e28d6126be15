/** Walks over rows of one table: a cursor with some read-ahead, which a jump throws away. */
import { compareBytes } from '../bytes/bytes.ts'
import type { Hashing, Row, RowRange, RowReader } from '../ports/index.ts'
import { decodeRow, decodeSoundRows } from '../views/row-codec.ts'
import type { KeyedRow } from '../views/row-reader.ts'

/** What listings are made of. `skipTo` jumps forward; everything before the place is never seen. */
export interface Walk<T> {
  /** At once what was read ahead: a promise for every row of a page takes longer than its row. */
  next(): Promise<T | undefined> | T | undefined
  skipTo(place: Uint8Array): void
  close(): Promise<void>
}

const batchMin = 16
const batchMax = 1024

/** `wanted`: how many rows will be taken if none of them is skipped, if known. */
export function walkRows<R>(
  reader: RowReader,
  hashing: Hashing,
  range: RowRange,
  wanted = batchMin,
): Walk<KeyedRow<R>> {
  const cursor = reader.cursor(range)
  let buffer: readonly Row[] = []
  let decoded: readonly R[] | undefined
  let at = 0
  let batch = Math.min(wanted, batchMax)
  let begun = false

  const take = (): KeyedRow<R> | undefined => {
    const row = buffer[at]
    if (row === undefined) return undefined
    const known = decoded?.[at]
    // Behind it also if it is damaged, so that a search for damage can go on.
    at++
    const [key, frame] = row
    return { key, row: known ?? decodeRow<R>(hashing, key, frame) }
  }

  async function fill(): Promise<KeyedRow<R> | undefined> {
    buffer = await cursor.next(batch)
    // Few may be jumped over, and need no decoding then.
    decoded = batch > batchMin ? decodeSoundRows<R>(hashing, buffer) : undefined
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

/** `next` of a walk, with something made of each row. */
export function mapped<T, U>({ next }: Pick<Walk<T>, 'next'>, make: (found: T) => U): Walk<U>['next'] {
  const made = (found: T | undefined) => found && make(found)
  return () => {
    const found = next()
    return found instanceof Promise ? found.then(made) : made(found)
  }
}

/** The first rows of a range, `count` at the most. */
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
