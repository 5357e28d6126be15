/**
 * Reads rows: first from memory, then from the views. The views hold only the places of long values, which are read
 * from the log. Reads that need no waiting are synchronous: a trip through the thread pool costs more than most reads.
 */
import type { RowReader } from '@varve/core'
import { passingRowKey, rowKey } from '../journal-kit/key-spaces.ts'
import { type Found, isPlace, readPlaces, type Value, valueOf } from './long-values.ts'
import { MergedCursor } from './merged-cursor.ts'
import type { HeldState, ReaderParts } from './reader-parts.ts'
import { rowName } from '../journal-kit/row-name.ts'
import type { Pin } from './segment-files.ts'
import { decodeRow } from './format/view-entries.ts'

/** Above this many keys the thread pool is as fast, and does not block the event loop. */
const syncKeysMax = 32

export function layeredReader(parts: ReaderParts, held?: HeldState): RowReader {
  const { db, gate, files, overlay } = parts
  const options = { snapshot: held?.snapshot }
  const syncOptions = held === undefined ? [] : ([options] as const)
  const getSync = db.supports.getSync === true

  /** The row as the layers in memory have it. */
  function recent(key: Uint8Array): Found {
    held?.assertHeld()
    const { layers, commit } = held?.layers ?? overlay.current
    const name = rowName(key)
    for (const layer of layers) {
      const state = layer.get(name, commit)
      if (state !== undefined) return state.found
    }
    return undefined
  }

  const stored = (key: Uint8Array, entry: Uint8Array | undefined): Found =>
    entry === undefined ? undefined : decodeRow(key, entry)

  function getNow(key: Uint8Array): Found {
    const known = recent(key)
    const found = known === undefined ? stored(key, db.getSync(passingRowKey(key), ...syncOptions)) : known
    return isPlace(found) ? (files.readSync(found, held?.pin) ?? found) : found
  }

  /** Holds a pin while `work` runs. */
  async function pinned<T>(work: (pin: Pin) => Promise<T>): Promise<T> {
    const pin = held?.pin ?? files.pin()
    try {
      return await work(pin)
    } finally {
      if (held === undefined) pin.release()
    }
  }

  const getLater = (keys: readonly Uint8Array[]): Promise<Value[]> =>
    pinned(async (pin) => {
      const known = keys.map(recent)
      const entries = await db.getMany(keys.filter((_, i) => known[i] === undefined).map(rowKey), options)
      const rest = entries.values()
      const found = known.map((each, i) =>
        each === undefined ? stored(keys[i] as Uint8Array, rest.next().value) : each,
      )
      return readPlaces(files, pin, found)
    })

  return {
    get: (key) =>
      gate.read(() => {
        if (!getSync) return getLater([key]).then(([value]) => value)
        const found = getNow(key)
        if (isPlace(found)) return pinned((pin) => files.read(found, pin))
        return found ?? undefined
      }),
    getMany: (keys) =>
      gate.read(() => {
        if (!getSync || keys.length > syncKeysMax) return getLater(keys)
        const found = keys.map(getNow)
        return found.some(isPlace) ? pinned((pin) => readPlaces(files, pin, found)) : found.map(valueOf)
      }),
    cursor: (range) => new MergedCursor(parts, range, held),
  }
}
