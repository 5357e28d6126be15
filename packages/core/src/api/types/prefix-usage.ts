/** How many objects and bytes a bucket has beneath its prefixes. */
import type { Cancelable } from './cancelable.ts'
import type { Page } from './listings.ts'

export interface PrefixUsageOptions extends Cancelable {
  /** Only keys that begin with this. @default all of the bucket */
  readonly prefix?: string
  /** Keys with the same text between the prefix and the next delimiter are counted together. @default '/' */
  readonly delimiter?: string
  /** The most objects that are counted, 1 to 100,000. @default 10,000 */
  readonly limit?: number
  /** Counts the objects after this key: `next` of the page before. */
  readonly after?: string
}

/** The current objects beneath a prefix: their number, and their bytes without encryption. */
export interface PrefixUsage {
  /** Up to the delimiter, inclusive. That of the options for objects directly beneath it. */
  readonly prefix: string
  readonly objects: number
  readonly bytes: number
}

/** Prefixes in the order of their first keys. The last one can go on in the next page: add the two. */
export interface PrefixUsagePage extends Page<PrefixUsage> {
  /** Pass it as `after`. Present if the page is truncated. */
  readonly next?: string
}
