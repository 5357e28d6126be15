/** Typed reads of rows: from the journal, a snapshot, or an unfinished transaction. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Hashing, RowRange, RowReader, Seq } from '../ports/index.ts'
import { decodeRow } from './row-codec.ts'
import type { RowKey } from './row-key.ts'

export interface KeyedRow<R> {
  readonly key: Uint8Array
  readonly row: R
}

/** The reads that rules and projections use. */
export interface Rows {
  get<R>(key: RowKey<R>): Soon<R | undefined>
  /** The first row of a range; the last row if the range is reversed. */
  first<R>(range: RowRange): Promise<KeyedRow<R> | undefined>
  /** Every row of a range in order. Only for ranges that are known to be short. */
  all<R>(range: RowRange): Promise<readonly KeyedRow<R>[]>
  /** Absent where nothing is kept. */
  readonly answers?: PastAnswers | undefined
}

/** What was found out about past states. A question names the position of its state, so its answer stays true. */
export interface PastAnswers {
  answer(question: string): PastAnswer | undefined
  keepAnswer(question: string, answer: PastAnswer): void
}

/** The row that was found. */
export interface PastAnswer {
  /** The position in its key. 0: there is no row. */
  readonly seq: Seq
  /** Its table: that of current objects, of what is live, or of the past. It may have moved since. */
  readonly in: 'current' | 'live' | 'past'
}

/** A reader that may have decoded a row before. */
export interface DecodedReader extends RowReader {
  /** Calls `decode`, or returns its earlier result for the same bytes. */
  row<R>(key: Uint8Array, decode: (frame: Uint8Array) => R): Soon<R | undefined>
  readonly answers?: PastAnswers
}

const isDecoded = (reader: RowReader): reader is DecodedReader => 'row' in reader

const pageRows = 1000

/** Rows of a committed state. @throws StorageError `RowCorrupt` for a damaged row */
export const committedRows = (reader: RowReader, hashing: Hashing): Rows => new CommittedRows(reader, hashing)

/** A class for speed: every read creates one and reads only a row or two. */
class CommittedRows implements Rows {
  readonly #reader: RowReader
  readonly #hashing: Hashing

  constructor(reader: RowReader, hashing: Hashing) {
    this.#reader = reader
    this.#hashing = hashing
  }

  get answers(): PastAnswers | undefined {
    return isDecoded(this.#reader) ? this.#reader.answers : undefined
  }

  get<R>({ bytes }: RowKey<R>): Soon<R | undefined> {
    const reader = this.#reader
    if (!isDecoded(reader)) return this.#read(bytes)
    return reader.row(bytes, (frame) => decodeRow<R & object>(this.#hashing, bytes, frame))
  }

  async first<R>(range: RowRange): Promise<KeyedRow<R> | undefined> {
    const cursor = this.#reader.cursor(range)
    try {
      const [first] = await cursor.next(1)
      if (first === undefined) return undefined
      const [key, frame] = first
      return { key, row: decodeRow<R>(this.#hashing, key, frame) }
    } finally {
      await cursor.close()
    }
  }

  async all<R>(range: RowRange): Promise<readonly KeyedRow<R>[]> {
    const rows: KeyedRow<R>[] = []
    const cursor = this.#reader.cursor(range)
    let reading = cursor.next(pageRows)
    try {
      for (;;) {
        const page = await reading
        if (page.length === 0) return rows
        reading = cursor.next(pageRows)
        // The next page is read while this one is decoded; an error of that read is thrown when the page is needed.
        reading.catch(() => undefined)
        for (const [key, frame] of page) rows.push({ key, row: decodeRow<R>(this.#hashing, key, frame) })
      }
    } finally {
      await reading.catch(() => undefined)
      await cursor.close()
    }
  }

  #read<R>(key: Uint8Array): Soon<R | undefined> {
    return whenThere(this.#reader.get(key), (frame) =>
      frame === undefined ? undefined : decodeRow<R>(this.#hashing, key, frame),
    )
  }
}
