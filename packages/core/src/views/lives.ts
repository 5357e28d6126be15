/** The intervals in which a version existed. A version that was removed and came back has several. */
import { Malformed, type RecordReader } from '../codec/record-reader.ts'
import type { RecordWriter } from '../codec/record-writer.ts'
import { count } from '../codec/scalars.ts'
import type { Seq } from '../ports/index.ts'
import { Mismatch } from '../schema/schema.ts'

export interface Life {
  /** The event that added the version. */
  readonly from: Seq
  /** The event that removed it. Absent while the version exists, which only the last life can do. */
  readonly until?: Seq
}

/** In order, none of them empty. At least one. */
export type Lives = readonly Life[]

/**
 * Their number, then for each the distance from the end of the life before (from `added` for the first), and its
 * length, 0 for a life that has not ended.
 * @throws Mismatch
 */
export function writeLives(to: RecordWriter, lives: Lives, added: Seq): void {
  if (!Array.isArray(lives) || lives.length === 0) throw new Mismatch('has no lives')
  count.write(to, lives.length)
  let end: Seq | undefined = added
  for (const { from, until } of lives as Lives) {
    if (!isAfter(from, end, 0) || (until !== undefined && !isAfter(until, from, 1))) {
      throw new Mismatch('has lives out of order')
    }
    count.write(to, from - (end ?? 0))
    count.write(to, until === undefined ? 0 : until - from)
    end = until
  }
}

/** `undefined`: an end that has not come. Nothing is after it. */
const isAfter = (position: Seq, before: Seq | undefined, least: 0 | 1): boolean =>
  Number.isSafeInteger(position) && before !== undefined && position - before >= least

/** `undefined` for one life that began with `added` and has not ended. @throws Malformed */
export function readLives(reader: RecordReader, added: Seq): Lives | undefined {
  const { bytes, at } = reader
  if (bytes[at] === 1 && bytes[at + 1] === 0 && bytes[at + 2] === 0) {
    reader.take(3)
    return undefined
  }
  const number = reader.count()
  if (number === 0 || number > reader.left) throw new Malformed('no lives, or too many')
  const lives: Life[] = []
  let end = added
  for (let i = 1; i <= number; i++) {
    const from = end + reader.count()
    const length = reader.count()
    if (length === 0 && i < number) throw new Malformed('a life that has not ended before another')
    end = from + length
    if (!Number.isSafeInteger(end)) throw new Malformed('a position that is too large')
    lives.push(length === 0 ? { from } : { from, until: end })
  }
  return lives
}
