/**
 * Removes rows so that no file of LevelDB has their bytes. LevelDB keeps a removed value in its files until a compaction, and a compaction
 * keeps what an older state needs, which a snapshot or an iterator holds.
 */
import { rowKey } from '../journal-kit/key-spaces.ts'
import type { LevelDatabase } from './level-database.ts'

/**
 * The value and the mark of its removal may come into one table, which is compacted only when a later mark is above it. The last round
 * deletes tables that a reader kept from being deleted.
 */
const rounds = 3

/** The snapshots and iterators that are open, by database. */
const held = new WeakMap<LevelDatabase, Set<object>>()

/** Remembers that a snapshot or an iterator keeps a state of the database until it is closed. */
export function holdState<T extends { close(): Promise<void> }>(db: LevelDatabase, holder: T): T {
  const holders = held.get(db) ?? new Set()
  held.set(db, holders)
  holders.add(holder)
  const close = holder.close.bind(holder)
  holder.close = async () => {
    await close()
    holders.delete(holder)
  }
  return holder
}

/** Above it, one compaction of the range of all keys takes less than one of each key. */
const keysMax = 32

export interface PurgeOptions {
  /** Runs a write between commits. Compactions run beside them. */
  readonly inTurn: (write: () => Promise<void>) => Promise<void>
}

/** False if a holder was open before a round: it keeps older states, and the tables that were replaced meanwhile. */
export async function purgeRows(
  db: LevelDatabase,
  keys: readonly Uint8Array[],
  { inTurn }: PurgeOptions,
): Promise<boolean> {
  const all = keys.map(rowKey).sort((a, b) => Buffer.compare(a, b))
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined) return true
  const ranges = all.length > keysMax ? [[first, last] as const] : all.map((key) => [key, key] as const)
  let isHeld = false
  for (let round = 0; round < rounds; round++) {
    isHeld ||= (held.get(db)?.size ?? 0) > 0
    await inTurn(() => {
      const batch = db.batch()
      for (const key of all) batch.del(key)
      return batch.write({ sync: true })
    })
    for (const [from, to] of ranges) await db.compactRange?.(from, to)
  }
  return !isHeld
}
