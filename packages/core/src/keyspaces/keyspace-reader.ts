/** Reads the rows of an opened keyspace, each time from one committed state that also has its header. */
import type { KeyspaceEngine } from './keyspace-engine.ts'
import { sameBytes } from '../bytes/bytes.ts'
import type { Row, RowRange, RowSnapshot } from '../ports/index.ts'
import { keyspaceConflict } from './commit-rows.ts'
import { decodeHeader, type StoredHeader } from './header.ts'
import { epochRange, headerKey, prefixOf, rowKey } from './keyspace-keys.ts'
import { openedValue } from './keyspace-rows.ts'

/** An opened keyspace, as its readers see it. */
export interface ReadKeyspace {
  readonly name: string
  readonly engine: KeyspaceEngine
  /** The header as the holder knows it. */
  readonly stored: StoredHeader
  /** The commit of the holder that is under way. */
  readonly writing: Promise<unknown> | undefined
}

/** Bounds of a walk, by keys of the caller. */
export interface KeyBounds {
  readonly gte?: Uint8Array
  readonly lt?: Uint8Array
  readonly reverse?: boolean
}

/** @throws StorageError `KeyspaceConflict` when another holder cleared the keyspace; `RowCorrupt` */
export async function readRows(
  keyspace: ReadKeyspace,
  keys: readonly Uint8Array[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const { name, engine } = keyspace
  const { journal, hashing } = engine.ports
  for (;;) {
    engine.assertOpen()
    const { stored: known } = keyspace
    const prefix = prefixOf(name, known.header.epoch)
    const stored = keys.map((key) => rowKey(prefix, key))
    const [frame, ...found] = await journal.getMany([headerKey(name), ...stored])
    if (!isCurrent(keyspace, known, frame)) await assertOwnChange(keyspace, known)
    else return found.map((each, i) => each && openedValue(hashing, stored[i] as Uint8Array, each))
  }
}

/** Pages of rows in the order of their keys. @throws as `readRows` does */
export async function* walkPages(
  keyspace: ReadKeyspace,
  bounds: KeyBounds,
  pageRows: () => number,
): AsyncGenerator<readonly Row[]> {
  const { engine } = keyspace
  const { snapshot, epoch } = await takeSnapshot(keyspace)
  const prefix = prefixOf(keyspace.name, epoch)
  const cursor = snapshot.cursor(rangeIn(epochRange(keyspace.name, epoch), prefix, bounds))
  try {
    for (;;) {
      engine.assertOpen()
      const count = pageRows()
      engine.turns.spend(count)
      const turn = engine.turns.wait()
      if (turn !== undefined) await turn
      const page = await cursor.next(count)
      if (page.length === 0) return
      yield page.map(([key, frame]): Row => [key.slice(prefix.length), openedValue(engine.ports.hashing, key, frame)])
    }
  } finally {
    await cursor.close()
    await snapshot.close()
  }
}

async function takeSnapshot(keyspace: ReadKeyspace): Promise<{ snapshot: RowSnapshot; epoch: number }> {
  const { name, engine } = keyspace
  for (;;) {
    engine.assertOpen()
    const { stored: known } = keyspace
    const snapshot = await engine.ports.journal.snapshot()
    try {
      const frame = await snapshot.get(headerKey(name))
      if (isCurrent(keyspace, known, frame)) return { snapshot, epoch: known.header.epoch }
      await assertOwnChange(keyspace, known)
    } catch (error) {
      await snapshot.close()
      throw error
    }
    await snapshot.close()
  }
}

function isCurrent(
  { name, engine }: ReadKeyspace,
  { header, frame: known }: StoredHeader,
  frame: Uint8Array | undefined,
): boolean {
  if (frame === undefined || header.state === 'dropped') return false
  if (sameBytes(frame, known)) return true
  const { epoch, state } = decodeHeader(engine.ports.hashing, name, frame)
  return epoch === header.epoch && state !== 'dropped'
}

/** Returns if the holder itself changed the header during the read, which must then be repeated. */
async function assertOwnChange(keyspace: ReadKeyspace, known: StoredHeader): Promise<void> {
  await keyspace.writing?.catch(() => undefined)
  const { stored } = keyspace
  if (stored === known || stored.header.state === 'dropped') throw keyspaceConflict(keyspace.name)
}

function rangeIn(
  { gte: first, lt: end }: RowRange,
  prefix: Uint8Array,
  { gte, lt, reverse = false }: KeyBounds,
): RowRange {
  return {
    gte: gte === undefined ? first : rowKey(prefix, gte),
    lt: lt === undefined ? end : rowKey(prefix, lt),
    reverse,
  }
}
