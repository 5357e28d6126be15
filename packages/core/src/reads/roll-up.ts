/**
 * Listing by prefix and delimiter, the same for objects, versions and uploads: keys that share what lies between
 * prefix and first delimiter become one entry, and the walk jumps over everything beneath it, so a page costs what
 * it returns, whatever is below.
 */
import type { KeyWalk } from './read-snapshot.ts'

/** Something with a key, as a listing meets it. */
export interface Keyed {
  readonly key: string
}

export type Entry<T> =
  | { readonly kind: 'item'; readonly item: T }
  | { readonly kind: 'prefix'; readonly prefix: string }

export interface RollUpOptions {
  readonly prefix: string
  readonly delimiter: string
  /** The most entries; a rolled-up prefix counts as one. */
  readonly limit: number
}

export interface RolledUp<T> {
  readonly entries: readonly Entry<T>[]
  /** The first item that was not returned, rolled up or not: there is more. */
  readonly next: T | undefined
}

export async function rollUp<T extends Keyed>(walk: KeyWalk<T>, options: RollUpOptions): Promise<RolledUp<T>> {
  const entries: Entry<T>[] = []
  if (options.limit === 0) return { entries, next: undefined }
  for (;;) {
    const found = walk.next()
    const item = found instanceof Promise ? await found : found
    if (item === undefined || entries.length === options.limit) return { entries, next: item }
    const prefix = commonPrefix(item.key, options)
    if (prefix === undefined) entries.push({ kind: 'item', item })
    else {
      entries.push({ kind: 'prefix', prefix })
      walk.skipPrefix(prefix)
    }
  }
}

/** How many rows a page takes, if that can be known: one more than it shows, to know whether another page follows. */
export const wantedRows = ({ delimiter, limit }: Pick<RollUpOptions, 'delimiter' | 'limit'>): number | undefined =>
  delimiter === '' ? limit + 1 : undefined

/** What a key is rolled up to; `undefined` when it stands for itself. */
export function commonPrefix(
  key: string,
  { prefix, delimiter }: Pick<RollUpOptions, 'prefix' | 'delimiter'>,
): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}
