import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { incarnationAt } from '../views/incarnation.ts'
import { loadPins } from '../views/pins.ts'
import { snapshotTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly exists: boolean
  /** How many snapshots there are. */
  readonly count: number
  /** False if the snapshot is for a bucket that did not exist at its position. */
  readonly hasBucket: boolean
}

/** @throws `SnapshotExists`, `TooManySnapshots`, `NoSuchBucket` */
export const createSnapshot: Rule<'CreateSnapshot', State> = {
  async load(rows, { name, position = Number.MAX_SAFE_INTEGER, bucket }) {
    return {
      exists: (await rows.get(snapshotTable.key(name))) !== undefined,
      count: (await loadPins(rows)).length,
      hasBucket: bucket === undefined || (await incarnationAt(rows, bucket, position)) !== undefined,
    }
  },

  decide({ exists, count, hasBucket }, { name, position, bucket }) {
    if (exists) {
      throw new StorageError('SnapshotExists', `There is a snapshot ${name} already.`, { details: { Snapshot: name } })
    }
    if (count >= limits.snapshotsMax) {
      throw new StorageError('TooManySnapshots', `A store can have ${limits.snapshotsMax} snapshots.`)
    }
    if (bucket !== undefined && !hasBucket) throw noSuchBucket(bucket)
    const optional = { ...(position !== undefined && { position }), ...(bucket !== undefined && { bucket }) }
    return [{ type: 'SnapshotCreated', data: { name, ...optional } }]
  },
}
