/** Counts the objects and bytes beneath the prefixes of a bucket, wherever the store is. */
import { checkBucket, optionsOf } from './arguments/common.ts'
import { prefixUsageOptions } from './arguments/read-options.ts'
import type { RequestStore } from './request-store.ts'
import type { ObjectPage, PrefixUsage, PrefixUsageOptions, PrefixUsagePage } from './types/index.ts'

const pageMax = 1000

/** Each thousand objects are of one state. @throws StorageError `NoSuchBucket`, `InvalidArgument` */
export async function prefixUsage(
  objects: Pick<RequestStore['objects'], 'listPage'>,
  givenBucket: string,
  givenOptions: PrefixUsageOptions | undefined,
): Promise<PrefixUsagePage> {
  const bucket = checkBucket(givenBucket)
  const { prefix = '', delimiter = '/', limit = 10_000, after, signal } = optionsOf(prefixUsageOptions, givenOptions)
  const found = new Map<string, { objects: number; bytes: number }>()
  let next = after
  for (let left = limit; left > 0; ) {
    signal?.throwIfAborted()
    const page: ObjectPage = await objects.listPage(bucket, {
      prefix,
      limit: Math.min(left, pageMax),
      ...(next !== undefined && { after: next }),
      ...(signal && { signal }),
    })
    for (const entry of page.entries) {
      if (entry.kind === 'object') count(found, rolledUp(entry.key, prefix, delimiter), entry.size)
    }
    left -= page.entries.length
    next = page.nextAfter
    if (next === undefined) break
  }
  const entries = [...found].map(([of, counts]): PrefixUsage => ({ prefix: of, ...counts }))
  return next === undefined ? { entries, isTruncated: false } : { entries, isTruncated: true, next }
}

/** The key up to the first delimiter after the prefix. */
function rolledUp(key: string, prefix: string, delimiter: string): string {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
  return at === -1 ? prefix : key.slice(0, at + delimiter.length)
}

function count(found: Map<string, { objects: number; bytes: number }>, prefix: string, size: number): void {
  const counts = found.get(prefix)
  if (counts === undefined) found.set(prefix, { objects: 1, bytes: size })
  else {
    counts.objects++
    counts.bytes += size
  }
}
