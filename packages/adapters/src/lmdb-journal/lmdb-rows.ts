/** The rows and events of a journal in LMDB, in the newest state or in a held one. Keys are those of LevelDB. */
import type { Row, RowRange, Seq, StoredEvent } from '@varve/core'
import { endOfEvents, eventKey, firstEventKey, rowKey, rowKeyOf, seqOf } from '../journal-kit/key-spaces.ts'
import { plainBytes } from '../hashing/plain-bytes.ts'
import { pageBytes, type RowState } from '../row-states/row-state.ts'
import {
  type LmdbEntry,
  type LmdbEnvironment,
  type LmdbRange,
  type LmdbTransaction,
  named,
} from './lmdb-environment.ts'

const eventsAtOnce = 256

/** `env` returns the environment that is open now. */
export function lmdbRows(env: () => LmdbEnvironment, transaction?: LmdbTransaction): RowState {
  const options = transaction && { transaction }
  return {
    get: (key) =>
      named(() => {
        const value = env().get(rowKey(key), options)
        return value && plainBytes(value)
      }),
    rows(range, count) {
      const walk = { ...boundsOf(range), limit: count, ...options }
      return page(env(), walk, ({ key, value }): Row => [rowKeyOf(plainBytes(key)), plainBytes(value)])
    },
  }
}

function boundsOf({ gte, lt, reverse = false }: RowRange): LmdbRange {
  const [first, end] = [rowKey(gte), rowKey(lt)]
  if (!reverse) return { start: first, end }
  return { start: end, exclusiveStart: true, end: first, inclusiveEnd: true, reverse }
}

export function lmdbEvents(env: LmdbEnvironment, from: Seq, to: Seq): readonly StoredEvent[] {
  const bounds = { start: eventKey(from), end: eventKey(to), inclusiveEnd: true, limit: eventsAtOnce }
  return page(env, bounds, ({ key, value }) => ({ seq: seqOf(key), bytes: plainBytes(value) }))
}

export function lmdbHead(env: LmdbEnvironment): Seq {
  const [last] = page(env, { start: endOfEvents, end: firstEventKey, reverse: true, limit: 1 }, ({ key }) => seqOf(key))
  return last ?? 0
}

const entriesAtOnce = 2048

/** Everything that the newest state has, in order, a page at a time. */
export function* lmdbEntries(env: LmdbEnvironment): Generator<readonly LmdbEntry[]> {
  let range: LmdbRange = { start: firstEventKey, limit: entriesAtOnce }
  for (;;) {
    const entries = page(env, range, ({ key, value }) => ({ key: plainBytes(key), value: plainBytes(value) }))
    const last = entries.at(-1)
    if (last === undefined) return
    yield entries
    range = { start: last.key, exclusiveStart: true, limit: entriesAtOnce }
  }
}

/** The page ends after the entry that reaches its maximum size. */
function page<T>(env: LmdbEnvironment, range: LmdbRange, decode: (entry: LmdbEntry) => T): T[] {
  return named(() => {
    const found: T[] = []
    let size = 0
    for (const entry of env.getRange(range)) {
      found.push(decode(entry))
      size += entry.key.length + entry.value.length
      if (size >= pageBytes) break
    }
    return found
  })
}
