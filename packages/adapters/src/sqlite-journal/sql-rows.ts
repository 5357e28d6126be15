/** The tables of a journal in SQLite, as one connection sees them. Keys are blobs, which SQLite orders byte by byte. */
import type { Row, RowRange, Seq, StoredEvent } from '@varve/core'
import { StorageError } from '@varve/core'
import { plainBytes } from '../hashing/plain-bytes.ts'
import { successor } from '../journal-kit/key-order.ts'
import { pageBytes, type RowState } from '../row-states/row-state.ts'
import type { SqlDatabase, SqlStatement } from './sql-database.ts'

/** Rows of one query. Large rows make a page shorter, and every statement is read to its end. */
const rowsAtOnce = 64

export class SqlRows implements RowState {
  readonly #get: SqlStatement
  readonly #forwards: SqlStatement
  readonly #backwards: SqlStatement

  constructor(db: SqlDatabase) {
    const select = 'SELECT key, value FROM row WHERE key >= ? AND key < ? ORDER BY key'
    this.#get = db.prepare('SELECT value FROM row WHERE key = ?')
    this.#forwards = db.prepare(`${select} LIMIT ?`)
    this.#backwards = db.prepare(`${select} DESC LIMIT ?`)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const row = this.#get.get(key)
    return row && bytesIn(row[0])
  }

  rows({ gte, lt, reverse }: RowRange, count: number): readonly Row[] {
    const statement = reverse === true ? this.#backwards : this.#forwards
    // A short page needs one query; a long one continues after its last row.
    const rows: Row[] = []
    const bounds = { gte, lt }
    for (let size = 0; rows.length < count && size < pageBytes; ) {
      const wanted = Math.min(count - rows.length, rowsAtOnce)
      const found = statement.all(bounds.gte, bounds.lt, wanted).map(rowIn)
      for (const [key, value] of found) size += key.length + value.length
      rows.push(...found)
      const last = found.at(-1)?.[0]
      if (last === undefined || found.length < wanted) break
      if (reverse === true) bounds.lt = last
      else bounds.gte = successor(last)
    }
    return rows
  }
}

export class SqlEvents {
  readonly #page: SqlStatement
  readonly #last: SqlStatement

  constructor(db: SqlDatabase) {
    this.#page = db.prepare('SELECT seq, bytes FROM event WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?')
    this.#last = db.prepare('SELECT max(seq) FROM event')
  }

  page(from: Seq, to: Seq): readonly StoredEvent[] {
    return this.#page.all(from, to, rowsAtOnce).map(([seq, bytes]) => ({ seq: seqIn(seq), bytes: bytesIn(bytes) }))
  }

  head(): Seq {
    const last = this.#last.get()?.[0] ?? null
    return last === null ? 0 : seqIn(last)
  }
}

const rowIn = ([key, value]: readonly unknown[]): Row => [bytesIn(key), bytesIn(value)]

/** SQLite accepts any type in any column. */
function bytesIn(value: unknown): Uint8Array {
  if (Buffer.isBuffer(value)) return plainBytes(value)
  if (value instanceof Uint8Array) return value
  throw foreign('value', 'something other than bytes')
}

function seqIn(value: unknown): Seq {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw foreign('key', 'a key that is no position')
}

const foreign = (kind: string, what: string): StorageError =>
  new StorageError('LogCorrupt', `The log holds ${what}.`, { details: { kind } })
