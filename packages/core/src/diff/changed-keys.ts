/** The keys that may differ between two states: those that the events between them name. */
import { compareKeys } from '../bytes/compare-keys.ts'
import { type LogPorts, readLogPages } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'

/** Far more than a page needs, and little memory. */
const candidatesMax = 50_000

export interface ChangedKeysOptions {
  readonly bucket: string
  readonly prefix: string
  /** Only keys after this one. */
  readonly after: string | undefined
  /** The events after `from`, up to `to`. */
  readonly from: Seq
  readonly to: Seq
  readonly signal: AbortSignal | undefined
}

/** Keys in order. If there are more, they are after the last of these. */
export interface ChangedKeys {
  readonly keys: readonly string[]
  readonly hasMore: boolean
}

export async function changedKeys(
  log: LogPorts,
  { bucket, prefix, after, from, to, signal }: ChangedKeysOptions,
): Promise<ChangedKeys> {
  let keys = new Set<string>()
  let last: string | undefined
  for await (const page of readLogPages(log, { from: from + 1, to })) {
    signal?.throwIfAborted()
    for (const { event } of page) {
      if (!('key' in event.data) || event.data.bucket !== bucket) continue
      const { key } = event.data
      if (!key.startsWith(prefix) || (after !== undefined && compareKeys(key, after) <= 0)) continue
      if (last !== undefined && compareKeys(key, last) > 0) continue
      keys.add(key)
      if (keys.size < candidatesMax * 2) continue
      const kept = inOrder(keys).slice(0, candidatesMax)
      last = kept.at(-1)
      keys = new Set(kept)
    }
  }
  return { keys: inOrder(keys), hasMore: last !== undefined }
}

const inOrder = (keys: Iterable<string>): string[] => [...keys].sort(compareKeys)
