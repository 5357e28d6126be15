/** What a fork means: a bucket with the versions that another one had. The bytes of that state are needed while it exists. */
import { limits } from '../base/limits.ts'
import {
  bucketNamed,
  type Change,
  emptyBucket,
  type ModelBucket,
  type ModelState,
  refusal,
  withBucket,
} from './state.ts'

/** Which bucket to fork, and the name of the fork. */
export interface ModelFork {
  readonly bucket: string
  readonly name: string
}

/**
 * The fork begins without uploads. `past`: the state that it begins as.
 * @throws StorageError `BucketAlreadyOwnedByYou`, `NoSuchBucket`, `ForkTooDeep`
 */
export function forkBucket(state: ModelState, { bucket, name }: ModelFork, past: ModelState = state): Change {
  if (state.buckets.has(name)) throw refusal('BucketAlreadyOwnedByYou')
  const from = bucketNamed(past, bucket)
  if (depthOf(from) >= limits.forkDepthMax) throw refusal('ForkTooDeep')
  const { versioning, keys } = from
  const fork = { ...emptyBucket, ...(versioning && { versioning }), keys, base: { state: past, bucket: from } }
  return { state: withBucket(state, name, fork), result: {} }
}

/** @throws StorageError `NoSuchBucket`, `NotAFork` */
export function dropFork(state: ModelState, bucket: string): Change {
  if (bucketNamed(state, bucket).base === undefined) throw refusal('NotAFork')
  return { state: withBucket(state, bucket, undefined), result: {} }
}

const depthOf = ({ base }: ModelBucket): number => (base === undefined ? 0 : 1 + depthOf(base.bucket))

/** The states whose bytes forks need, with those that forks in these states need. */
export function statesOfForks(shown: readonly ModelState[]): ReadonlySet<ModelState> {
  const found = new Set<ModelState>()
  const add = (state: ModelState): void => {
    for (const { base } of state.buckets.values()) {
      if (base === undefined || found.has(base.state)) continue
      found.add(base.state)
      add(base.state)
    }
  }
  shown.forEach(add)
  return found
}
