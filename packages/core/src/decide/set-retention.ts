import { StorageError } from '../base/errors.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { type ByteRetention, isSameRetention } from '../settings/byte-retention.ts'
import { wholeStore } from '../settings/whole-store.ts'
import type { BucketRow, RetentionRow } from '../views/rows.ts'
import { bucketTable, retentionTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly stated: RetentionRow | undefined
}

/**
 * States a retention; the same one again is no event.
 * @throws `NoSuchBucket`; `InvalidArgument` for a store without a retention, and for a budget of one bucket
 */
export const setRetention: Rule<'SetRetention', State> = {
  async load(rows, { bucket: name }) {
    const bucket = name === undefined ? undefined : await rows.get(bucketTable.key(name))
    const of = name === undefined ? wholeStore : bucket?.incarnation
    return { bucket, stated: of === undefined ? undefined : await rows.get(retentionTable.key(of)) }
  },

  decide({ bucket, stated }, { bucket: name, retention, ifUnset = false, graceMs = 0 }) {
    if (name === undefined) assertOfStore(retention)
    else if (bucket === undefined) throw noSuchBucket(name)
    else assertOfBucket(retention)
    if ((ifUnset && stated !== undefined) || changesNothing(stated, retention, graceMs)) return []
    const grace = graceMs === 0 ? {} : { graceMs }
    return [{ type: 'RetentionSet', data: { ...(name !== undefined && { bucket: name }), retention, ...grace } }]
  },
}

export function assertOfStore(retention: ByteRetention | null): void {
  if (retention === null) throw invalid('The store always has a retention.')
}

export function assertOfBucket(retention: ByteRetention | null): void {
  if (retention?.budget !== undefined) throw invalid('Only the whole store can have a budget.')
}

/** The same one again can end the grace period of what counted before. */
function changesNothing(stated: RetentionRow | undefined, retention: ByteRetention | null, graceMs: number): boolean {
  if (graceMs === 0 && stated?.before !== undefined) return false
  return isSame(stated?.follows === true ? undefined : stated, retention)
}

const isSame = (one: ByteRetention | undefined, other: ByteRetention | null): boolean =>
  one === undefined || other === null ? one === undefined && other === null : isSameRetention(one, other)

const invalid = (message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'retention' } })
