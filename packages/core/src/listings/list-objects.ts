import { noSuchBucket } from '../reads/conditions.ts'
import type { ReadSnapshot, StartPlace } from '../reads/read-snapshot.ts'
import { commonPrefix, rollUp, wantedRows } from '../reads/roll-up.ts'
import { listedObject } from './listed-version.ts'
import { pageLimit } from '../reads/page-limit.ts'
import type { ObjectPage, ObjectPageOptions } from '../api/types/index.ts'

/** One page of current objects. @throws StorageError `NoSuchBucket`. */
export async function listObjects(
  snapshot: ReadSnapshot,
  bucket: string,
  options: ObjectPageOptions,
): Promise<ObjectPage> {
  const { prefix = '', delimiter = '', after = '', signal } = options
  signal?.throwIfAborted()
  const limit = pageLimit(options.limit)
  if ((await snapshot.bucket(bucket)) === undefined) throw noSuchBucket(bucket)
  const start: StartPlace | undefined = after === '' ? undefined : { key: after, place: 'after' }
  const walk = snapshot.objects(bucket, prefix, start, { wanted: wantedRows({ delimiter, limit }), delimiter })
  try {
    const over = start && commonPrefix(start.key, { prefix, delimiter })
    if (over !== undefined) walk.skipPrefix(over)
    const { entries, next } = await rollUp(walk, { prefix, delimiter, limit }, listedObject)
    const last = entries.at(-1)
    if (next === undefined || last === undefined) return { entries, isTruncated: false }
    return { entries, isTruncated: true, nextAfter: last.kind === 'prefix' ? last.prefix : last.key }
  } finally {
    await walk.close()
  }
}
