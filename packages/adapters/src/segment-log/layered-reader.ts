/**
 * Reads of rows: what is in memory first, then the views, and where those only say where a long value lies, the log.
 * What is at hand is read at once; a trip through the thread pool costs more than most reads.
 */
import type { RowReader } from '@varve/core'
import type { JournalGate } from '../level-journal/journal-gate.ts'
import { rowKey } from '../level-journal/keys.ts'
import type { LevelDatabase, LevelSnapshot } from '../level-journal/level-database.ts'
import { type Found, isPlace, readPlaces } from './long-values.ts'
import { MergedCursor } from './merged-cursor.ts'
import type { LayersAt, Overlay } from './overlay.ts'
import { rowName } from './row-name.ts'
import type { Pin, SegmentFiles } from './segment-files.ts'
import { decodeRow } from './view-entries.ts'

export interface ReaderParts {
  readonly db: LevelDatabase
  readonly gate: JournalGate
  readonly overlay: Overlay
  readonly files: SegmentFiles
}

/** One state, held for as long as somebody looks at it. */
export interface HeldState {
  readonly layers: LayersAt
  readonly snapshot: LevelSnapshot
  readonly pin: Pin
}

/** Past this many keys the thread pool is as fast and does not hold up the event loop. */
const syncKeysMax = 32

export function layeredReader(parts: ReaderParts, held?: HeldState): RowReader {
  const { db, gate, files, overlay } = parts
  const options = { snapshot: held?.snapshot }
  const syncOptions = held === undefined ? [] : ([options] as const)
  const getSync = db.supports.getSync === true

  /** The state in memory; `null` is a removed row. */
  function recent(key: Uint8Array): Uint8Array | null | undefined {
    const { layers, commit } = held?.layers ?? overlay.current
    const name = rowName(key)
    for (const layer of layers) {
      const state = layer.get(name, commit)
      if (state !== undefined) return state.value
    }
    return undefined
  }

  /** Reads long values that are not at hand. */
  async function settle(found: readonly Found[]): Promise<(Uint8Array | undefined)[]> {
    const pin = held?.pin ?? files.pin()
    try {
      return await readPlaces(files, pin, found)
    } finally {
      if (held === undefined) pin.release()
    }
  }

  const decode = (key: Uint8Array, entry: Uint8Array | undefined): Found => {
    if (entry === undefined) return undefined
    const found = decodeRow(key, entry)
    return isPlace(found) ? (files.readSync(found) ?? found) : found
  }

  function getNow(key: Uint8Array): Found {
    const state = recent(key)
    return state === undefined ? decode(key, db.getSync(rowKey(key), ...syncOptions)) : (state ?? undefined)
  }

  async function getLater(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    // Before the database is asked: a place it names must not be lost meanwhile.
    const pin = held?.pin ?? files.pin()
    try {
      const known = keys.map(recent)
      const entries = await db.getMany(keys.filter((_, i) => known[i] === undefined).map(rowKey), options)
      const rest = entries.values()
      const found = known.map((state, i) =>
        state === undefined ? decode(keys[i] as Uint8Array, rest.next().value) : (state ?? undefined),
      )
      return await readPlaces(files, pin, found)
    } finally {
      if (held === undefined) pin.release()
    }
  }

  return {
    get: (key) =>
      gate.read(() => {
        if (!getSync) return getLater([key]).then(([value]) => value)
        const found = getNow(key)
        return isPlace(found) ? settle([found]).then(([value]) => value) : found
      }),
    getMany: (keys) =>
      gate.read(() => {
        if (!getSync || keys.length > syncKeysMax) return getLater(keys)
        const found = keys.map(getNow)
        return found.some(isPlace) ? settle(found) : (found as (Uint8Array | undefined)[])
      }),
    cursor: (range) => new MergedCursor(parts, range, held),
  }
}
