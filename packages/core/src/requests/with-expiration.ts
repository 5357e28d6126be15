import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import type { CreationFacts } from '../events/index.ts'
import { withSnapshot } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'
import type { PutResult } from '../api/types/index.ts'

interface Written {
  readonly bucket: string
  readonly key: string
  readonly tags: CreationFacts['tags']
}

/** What was written, and when it goes again. A bucket that went meanwhile is no reason to call the write failed. */
export async function withExpiration<R extends PutResult>(
  requests: RequestEngine,
  context: Attempt,
  { bucket, key, tags = [] }: Written,
  result: R,
): Promise<R> {
  const object = { key, size: result.size, tags, at: result.lastModified.getTime() }
  const find = async (snapshot: ReadSnapshot) => {
    const row = await snapshot.bucket(bucket)
    return row && requests.expirations.find(snapshot, { name: bucket, row }, object)
  }
  const expiration = await withSnapshot({ requests, context }, find, { bucket }).catch(() => undefined)
  return expiration === undefined ? result : { ...result, expiration }
}
