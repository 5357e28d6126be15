import type { Moment } from '../reads/moment.ts'
import type { CreationFacts } from '../events/index.ts'
import { type Attempt, withMoment } from './read-scope.ts'
import type { Desk } from './request-engine.ts'
import type { PutResult } from '../api/types/index.ts'

interface Written {
  readonly bucket: string
  readonly key: string
  readonly tags: CreationFacts['tags']
}

/** What was written, and when it goes again. A bucket that went meanwhile is no reason to call the write failed. */
export async function withExpiration<R extends PutResult>(
  desk: Desk,
  context: Attempt,
  { bucket, key, tags = [] }: Written,
  result: R,
): Promise<R> {
  const object = { key, size: result.size, tags, at: result.lastModified.getTime() }
  const find = async (moment: Moment) => {
    const row = await moment.bucket(bucket)
    return row && desk.expirations.find(moment, { name: bucket, row }, object)
  }
  const expiration = await withMoment({ desk, context }, find, { bucket }).catch(() => undefined)
  return expiration === undefined ? result : { ...result, expiration }
}
