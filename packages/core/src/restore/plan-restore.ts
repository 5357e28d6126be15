/** Plans a restore: compares two states of a bucket, and finds what makes the present objects those of the past. */
import { type ObjectDifference, stateAt, type TwoStates } from '../diff/two-states.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { committedRows } from '../views/row-reader.ts'
import { differences } from '../diff/differences.ts'
import { type BucketPlan, bucketNow, planBucket } from './plan-bucket.ts'
import { hasOneOwner, isErased, type PlannedKey, Planner } from './planner.ts'

export interface RestoreScope {
  readonly bucket: string
  readonly prefix: string
  readonly keys: readonly string[] | undefined
  readonly to: Seq
  /** Whether the bucket gets the settings of then. */
  readonly settings: boolean
  /** Whether the bucket comes back if it was deleted. */
  readonly deletedBucket: boolean
  /** The state that is compared with the past one. */
  readonly planned: Seq
  /** Now, for locks. */
  readonly at: number
  readonly signal: AbortSignal | undefined
  /** Awaited before each key, so that a long plan does not block other work of the process. */
  readonly turn: () => Promise<void> | undefined
}

export interface Plan extends BucketPlan {
  /** The event that last changed the bucket. `undefined` if the restore itself changes it. */
  readonly bucketSince: Seq | undefined
  readonly keys: readonly PlannedKey[]
  readonly erased: readonly ObjectDifference[]
}

/** @throws StorageError `NoSuchBucket` as `bucketNow` */
export async function planRestore(requests: RequestEngine, reader: RowReader, scope: RestoreScope): Promise<Plan> {
  const { bucket, to, planned, settings } = scope
  const { hashing } = requests.ports
  const then = await stateAt(reader, hashing, bucket, to)
  const found: TwoStates = [then, await stateAt(reader, hashing, bucket, planned)]
  const { state: now, deleted } = await bucketNow(committedRows(reader, hashing), found, scope)
  const states = [then, now] as const
  const ownBucket = await planBucket(states, { bucket, deleted, settings })
  const withSettings = settings && then.row !== undefined ? { ...then, row: then.row } : now
  const owner = (await hasOneOwner(bucket, withSettings)) ? now.row.owner : undefined
  const planner = new Planner({ ...now, bucket }, scope.at, owner)
  const [keys, erased]: [PlannedKey[], ObjectDifference[]] = [[], []]
  for await (const difference of differences({ journal: requests.owner.log, hashing }, states, scope)) {
    const turn = scope.turn()
    if (turn !== undefined) await turn
    const key = await planner.plan(difference)
    if (key === undefined) continue
    if (await isErased(requests, key)) erased.push(difference)
    else keys.push(key)
  }
  const bucketSince = ownBucket.commands.length === 0 ? now.row.since : undefined
  return { ...ownBucket, bucketSince, keys, erased }
}
