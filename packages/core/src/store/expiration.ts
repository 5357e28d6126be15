import { type Expiration, expirationOf, type JudgedObject } from '../lifecycle/expiration.ts'
import type { Moment, NamedBucket } from '../reads/moment.ts'
import type { CreationFacts } from '../events/index.ts'
import { type Attempt, withMoment } from './context.ts'
import type { Desk } from './desk.ts'
import type { PutResult } from './types/index.ts'

/** When a current object goes by its bucket's rules. Costs nothing where there are none. */
export async function findExpiration(
  moment: Moment,
  named: NamedBucket,
  object: JudgedObject,
  day: number,
): Promise<Expiration | undefined> {
  if (named.row.settings?.Lifecycle === undefined) return undefined
  const configuration = await moment.setting(named, 'Lifecycle')
  return configuration && expirationOf(configuration, object, day)
}

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
    return row && findExpiration(moment, { name: bucket, row }, object, desk.lifecycleDayMs)
  }
  const expiration = await withMoment({ desk, context }, find, { bucket }).catch(() => undefined)
  return expiration === undefined ? result : { ...result, expiration }
}
