/** Reads rows and records them, for decisions that are valid only while these rows stay unchanged. */
import { byteString, bytesOfString } from '../bytes/bytes.ts'
import { type Soon, whenThere } from '../base/soon.ts'
import type { FirstRead, ReadSet, RowRead } from '../commands/read-set.ts'
import type { RowRange, Seq } from '../ports/index.ts'
import type { KeyedRow, Rows } from './row-reader.ts'
import { RowKey } from './row-key.ts'

export class TrackedRows implements Rows {
  readonly #rows: Rows
  /** The rows that were read so far. */
  readonly readSet: (RowRead | FirstRead)[]

  constructor(rows: Rows, readSet: (RowRead | FirstRead)[] = []) {
    this.#rows = rows
    this.readSet = readSet
  }

  get<R>(key: RowKey<R>): Soon<R | undefined> {
    return whenThere(this.#rows.get(key), (row) => {
      this.readSet.push(readOf(key.name, row))
      return row
    })
  }

  async first<R>(range: RowRange): Promise<KeyedRow<R> | undefined> {
    const found = await this.#rows.first<R>(range)
    const { gte, lt, reverse = false } = range
    this.readSet.push({
      gte: byteString(gte),
      lt: byteString(lt),
      reverse,
      found: found === undefined ? null : readOf(byteString(found.key), found.row),
    })
    return found
  }

  /** @throws TypeError because a decision that needs every row of a range cannot be compared cheaply. */
  all<R>(_range: RowRange): Promise<readonly KeyedRow<R>[]> {
    return Promise.reject(new TypeError('A read set has no whole ranges.'))
  }
}

/** Whether all rows of the read set are unchanged. */
export function isUnchanged(rows: Rows, readSet: ReadSet, from = 0): Soon<boolean> {
  for (let i = from; i < readSet.length; i++) {
    const read = readSet[i] as ReadSet[number]
    const same = 'key' in read ? isSameAt(rows, read) : isSameFirst(rows, read)
    if (same instanceof Promise) return same.then((isSame) => isSame && isUnchanged(rows, readSet, i + 1))
    if (!same) return false
  }
  return true
}

const isSameAt = (rows: Rows, read: RowRead): Soon<boolean> =>
  whenThere(rows.get(new RowKey<object>(bytesOfString(read.key))), (row) => isSameRow(row, read))

async function isSameFirst(rows: Rows, read: FirstRead): Promise<boolean> {
  const { gte, lt, reverse, found } = read
  const first = await rows.first<object>({ gte: bytesOfString(gte), lt: bytesOfString(lt), reverse })
  if (first === undefined || found === null) return first === undefined && found === null
  return byteString(first.key) === found.key && isSameRow(first.row, found)
}

const readOf = (key: string, row: unknown): RowRead => {
  const { annotated } = (row ?? {}) as { readonly annotated?: true }
  return { key, madeBy: makerOf(row), ...(annotated && { annotated }) }
}

const isSameRow = (row: unknown, { madeBy, annotated }: RowRead): boolean =>
  makerOf(row) === madeBy && (row as { readonly annotated?: true } | undefined)?.annotated === annotated

/** A row that can change contains the position of the event that last changed it; other rows never change. */
function makerOf(row: unknown): Seq | null {
  if (row === undefined) return null
  const { since, seq } = row as { readonly since?: Seq; readonly seq?: Seq }
  return since ?? seq ?? 0
}
