import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { checkRoom } from '../reads/quota.ts'
import { bucketRowAt } from '../views/bucket-row-at.ts'
import { loadPins } from '../views/pins.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noUsage } from '../views/usage.ts'
import { checkNewBucket, loadNewBucket, type NewBucketState } from './new-bucket.ts'
import type { Rule } from './rule.ts'

interface State extends NewBucketState {
  /** The bucket that the fork begins as, as it was. */
  readonly base: BucketRow | undefined
  /** The number of forks that keep bytes of their bases. */
  readonly forks: number
}

/** @throws `NoSuchBucket`, `ForkTooDeep`, `TooManyForks`, `QuotaExceeded`, and as `checkNewBucket`. */
export const forkBucket: Rule<'ForkBucket', State> = {
  async load(rows, { bucket, from, position }, _hashing, { by }) {
    return {
      ...(await loadNewBucket(rows, bucket, by)),
      base: position === undefined ? await rows.get(bucketTable.key(from)) : await bucketRowAt(rows, from, position),
      forks: (await loadPins(rows)).filter(({ fork }) => fork !== undefined).length,
    }
  },

  decide({ base, forks, ...state }, { bucket, from, position, shown = 0, inherited = 0 }, { by }) {
    checkNewBucket(state, bucket, by)
    if (shown > 0) checkRoom({ quota: {}, used: noUsage, ofOwner: state.quota }, shown)
    if (base === undefined) throw noSuchBucket(from)
    if ((base.base?.depth ?? 0) >= limits.forkDepthMax) {
      throw new StorageError('ForkTooDeep', `There can be ${limits.forkDepthMax} forks, each of the one before.`, {
        details: { BucketName: from },
      })
    }
    if (forks >= limits.forksMax) throw new StorageError('TooManyForks', `A store can have ${limits.forksMax} forks.`)
    const counted = { ...(position !== undefined && { position }), ...(inherited > 0 && { shown: inherited }) }
    return [{ type: 'BucketForked', data: { bucket, owner: by, from, ...counted } }]
  },
}
