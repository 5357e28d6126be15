/**
 * Listings by prefix and delimiter, for objects, versions and uploads. Keys with the same text between the prefix and
 * the first delimiter become one entry, and the walk skips all of them. The cost of a page depends only on the number
 * of its entries.
 */
import type { KeyWalk } from './read-snapshot.ts'

/** An item with a key. */
export interface Keyed {
  readonly key: string
}

/** The entry of all keys with one prefix up to the delimiter. */
interface RolledUpKeys {
  readonly kind: 'prefix'
  readonly prefix: string
}

export interface RollUpOptions {
  readonly prefix: string
  readonly delimiter: string
  /** The maximum number of entries; a common prefix counts as one. */
  readonly limit: number
}

export interface RolledUp<T, E> {
  readonly entries: readonly (E | RolledUpKeys)[]
  /** The first item that was not returned. Absent if there are no more. */
  readonly next: T | undefined
}

/** `entryOf` makes the entry of an item that has no common prefix. */
export async function rollUp<T extends Keyed, E>(
  walk: KeyWalk<T>,
  options: RollUpOptions,
  entryOf: (item: T) => E,
): Promise<RolledUp<T, E>> {
  const entries: (E | RolledUpKeys)[] = []
  if (options.limit === 0) return { entries, next: undefined }
  for (;;) {
    const found = walk.next()
    const item = found instanceof Promise ? await found : found
    if (item === undefined || entries.length === options.limit) return { entries, next: item }
    const prefix = commonPrefix(item.key, options)
    if (prefix === undefined) entries.push(entryOf(item))
    else {
      entries.push({ kind: 'prefix', prefix })
      walk.skipPrefix(prefix)
    }
  }
}

/** The number of rows that a page reads, if known: one more than its entries, to see whether another page follows. */
export const wantedRows = ({ delimiter, limit }: Pick<RollUpOptions, 'delimiter' | 'limit'>): number | undefined =>
  delimiter === '' ? limit + 1 : undefined

/** The common prefix of a key; `undefined` if the key is an entry of its own. */
export function commonPrefix(
  key: string,
  { prefix, delimiter }: Pick<RollUpOptions, 'prefix' | 'delimiter'>,
): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}
