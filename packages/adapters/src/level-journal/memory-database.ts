/** A database in memory with the shape and errors of abstract-level. It copies its input; do not alter its output. */
import { rowName, keyOf } from '../journal-kit/row-name.ts'
import type {
  LevelBatch,
  LevelDatabase,
  LevelIterator,
  LevelIteratorOptions,
  LevelReadOptions,
  LevelSnapshot,
} from './level-database.ts'
import { findIn, type Leaves, OrderedRows, placeIn } from './ordered-rows.ts'

interface Change {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Rows in memory, open or closed. */
export interface MemoryMedium extends LevelDatabase {
  /** The same rows as of now, which then change on their own. Costs no copy of them: the two share what neither changes. */
  fork(): MemoryMedium
}

export function memoryDatabase(rows = new OrderedRows()): MemoryMedium {
  /** The state of each snapshot. */
  const held = new WeakMap<LevelSnapshot, Leaves>()
  let isOpen = true

  const assertOpen = (): void => {
    if (!isOpen) throw failure('LEVEL_DATABASE_NOT_OPEN', 'The database is not open.')
  }

  function stateOf(snapshot: LevelSnapshot): Leaves {
    const leaves = held.get(snapshot)
    if (leaves === undefined) throw failure('LEVEL_SNAPSHOT_NOT_OPEN', 'The snapshot is not open.')
    return leaves
  }

  function getSync(key: Uint8Array, { snapshot }: LevelReadOptions = {}): Uint8Array | undefined {
    assertOpen()
    return snapshot === undefined ? rows.get(key) : findIn(stateOf(snapshot), rowName(key))
  }

  return {
    supports: { permanence: false, getSync: true },
    keyEncoding: () => ({ commonName: 'view' }),
    valueEncoding: () => ({ commonName: 'view' }),
    async open() {
      isOpen = true
    },
    async close() {
      isOpen = false
    },
    get: async (key, options) => getSync(key, options),
    getSync,
    getMany: async (keys, options) => keys.map((key) => getSync(key, options)),
    batch: () => memoryBatch(rows, assertOpen),
    iterator(options) {
      assertOpen()
      const { snapshot } = options
      return memoryIterator(snapshot === undefined ? rows.keep() : stateOf(snapshot), options, assertOpen)
    },
    snapshot() {
      assertOpen()
      const snapshot: LevelSnapshot = {
        ref: () => undefined,
        unref: () => undefined,
        close: async () => void held.delete(snapshot),
      }
      held.set(snapshot, rows.keep())
      return snapshot
    },
    fork: () => memoryDatabase(rows.fork()),
  }
}

/** Values of this length are copied to shared pages, because to allocate each by itself takes longer than to copy it. */
const pagedMin = 65
const pagedMax = 1024
const pageBytes = 8 * 1024
let page = new Uint8Array(0)
let pageEnd = 0

function copyOf(value: Uint8Array): Uint8Array {
  const { length } = value
  if (length < pagedMin || length > pagedMax) return value.slice()
  if (pageEnd + length > page.length) {
    page = new Uint8Array(pageBytes)
    pageEnd = 0
  }
  page.set(value, pageEnd)
  pageEnd += length
  return page.subarray(pageEnd - length, pageEnd)
}

/** `write` applies all changes at once. */
function memoryBatch(rows: OrderedRows, assertOpen: () => void): LevelBatch {
  let changes: Change[] = []
  return {
    put: (key, value) => changes.push({ key, value: copyOf(value) }),
    del: (key) => changes.push({ key, value: undefined }),
    async write() {
      assertOpen()
      for (const { key, value } of changes) {
        if (value === undefined) rows.delete(key)
        else rows.set(key, value)
      }
      changes = []
    },
    async close() {
      changes = []
    },
  }
}

function memoryIterator(leaves: Leaves, options: LevelIteratorOptions, assertOpen: () => void): LevelIterator {
  const { gte, lt, lte, reverse = false, limit = Number.POSITIVE_INFINITY } = options
  const first = rowName(gte)
  const end = lt === undefined ? behind(rowName(lte ?? gte)) : rowName(lt)
  // Walking forwards, the next row is the one at this place; walking backwards, the one before it.
  let { leaf, at } = placeIn(leaves, reverse ? end : first)
  let left = limit
  let closed = false

  function step(): [Uint8Array, Uint8Array] | undefined {
    if (reverse) while (at === 0 && leaf > 0) at = (leaves[--leaf] as Leaves[number]).names.length
    else while (at === leaves[leaf]?.names.length) [leaf, at] = [leaf + 1, 0]
    if (reverse) at--
    const { names, values } = leaves[leaf] ?? nothing
    const name = names[at]
    if (name === undefined || name < first || name >= end) return undefined
    const row: [Uint8Array, Uint8Array] = [keyOf(name), values[at] as Uint8Array]
    if (!reverse) at++
    return row
  }

  return {
    async nextv(size) {
      assertOpen()
      if (closed) throw failure('LEVEL_ITERATOR_NOT_OPEN', 'The iterator is not open.')
      const rows: [Uint8Array, Uint8Array][] = []
      while (rows.length < size && left > 0) {
        const row = step()
        if (row === undefined) left = 0
        else {
          rows.push(row)
          left--
        }
      }
      return rows
    },
    seek(target) {
      const name = reverse ? behind(rowName(target)) : rowName(target)
      ;({ leaf, at } = placeIn(leaves, name < first ? first : name < end ? name : end))
      left = limit
    },
    async close() {
      closed = true
    },
  }
}

const nothing: Leaves[number] = { names: [], values: [], state: 0 }

/** The smallest name that is greater than `name`. */
const behind = (name: string): string => `${name}\0`

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })
