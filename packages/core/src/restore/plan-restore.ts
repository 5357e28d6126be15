/** Plans a restore: compares two states of a bucket, and finds what makes the present objects those of the past. */
import { isStorageError } from '../base/errors.ts'
import type { RestoredKey } from '../commands/command.ts'
import { diffKeys, diffObjects } from '../diff/diff-objects.ts'
import { type ObjectDifference, stateAt, type TwoStates } from '../diff/two-states.ts'
import type { AnnotatedObject } from '../diff/same-object.ts'
import type { Actor, ObjectFacts } from '../events/index.ts'
import { compareKeys } from '../bytes/compare-keys.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import { assertKept } from '../requests/find-source.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { strongerLocks } from '../settings/restored-locks.ts'
import type { ObjectAspect } from '../api/types/index.ts'
import { committedRows } from '../views/row-reader.ts'
import { type BucketPlan, bucketNow, planBucket } from './plan-bucket.ts'

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

export interface PlannedKey {
  readonly restored: RestoredKey
  readonly difference: ObjectDifference
}

export interface Plan extends BucketPlan {
  /** The event that last changed the bucket. `undefined` if the restore itself changes it. */
  readonly bucketSince: Seq | undefined
  readonly keys: readonly PlannedKey[]
  readonly erased: readonly ObjectDifference[]
}

const pageKeys = 1000

/** @throws StorageError `NoSuchBucket` as `bucketNow` */
export async function planRestore(requests: RequestEngine, reader: RowReader, scope: RestoreScope): Promise<Plan> {
  const { bucket, to, planned, settings } = scope
  const { hashing } = requests.ports
  const then = await stateAt(reader, hashing, bucket, to)
  const found: TwoStates = [then, await stateAt(reader, hashing, bucket, planned)]
  const { state: now, deleted } = await bucketNow(committedRows(reader, hashing), found, scope)
  const states = [then, now] as const
  const ownBucket = await planBucket(states, { bucket, deleted, settings })
  const { snapshot, row } = settings && then.row !== undefined ? { ...then, row: then.row } : now
  const ownership = await snapshot.setting({ name: bucket, row }, 'Ownership')
  const planner = new Planner(states, scope, ownership === 'BucketOwnerEnforced' ? now.row.owner : undefined)
  const [keys, erased]: [PlannedKey[], ObjectDifference[]] = [[], []]
  for await (const difference of differences(requests, states, scope)) {
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

async function* differences(
  requests: RequestEngine,
  states: TwoStates,
  { bucket, prefix, keys, signal }: RestoreScope,
): AsyncGenerator<ObjectDifference> {
  if (keys !== undefined) {
    const chosen = [...new Set(keys)].sort(compareKeys)
    const { found } = await diffKeys(states, { bucket, limit: chosen.length, signal }, { keys: chosen, hasMore: false })
    yield* found
    return
  }
  const log = { journal: requests.owner.log, hashing: requests.ports.hashing }
  let after: string | undefined
  do {
    const page = await diffObjects(log, states, { bucket, prefix, after, limit: pageKeys, signal })
    yield* page.found
    after = page.nextAfter
  } while (after !== undefined)
}

async function isErased(requests: RequestEngine, { restored, difference }: PlannedKey): Promise<boolean> {
  if (restored.object === undefined || difference.before === undefined) return false
  try {
    await assertKept(requests, difference.before.row)
    return false
  } catch (error) {
    if (isStorageError(error, 'ObjectErased')) return true
    throw error
  }
}

class Planner {
  readonly #states: TwoStates
  readonly #scope: RestoreScope
  /** The owner of all objects, if the bucket has no other owners and no ACLs now. */
  readonly #owner: Actor | undefined

  constructor(states: TwoStates, scope: RestoreScope, owner: Actor | undefined) {
    this.#states = states
    this.#scope = scope
    this.#owner = owner
  }

  /** `undefined` if clients get what they got then, apart from locks, which are never loosened. */
  async plan(difference: ObjectDifference): Promise<PlannedKey | undefined> {
    const { key, before: then, after: now } = difference
    const newest = now?.row.seq ?? (await this.#states[1].snapshot.newest(this.#scope.bucket, key))?.seq ?? null
    if (then === undefined) return { restored: { key, newest }, difference }
    const aspects = now === undefined ? [] : difference.aspects.filter((aspect) => this.#counts(aspect, then, now))
    if (now !== undefined && aspects.length === 0) return undefined
    const owner = this.#owner ?? then.row.owner
    const object = { version: then.row.seq, owner, facts: this.#factsOf(then, now) }
    return { restored: { key, newest, object }, difference: { ...difference, aspects } }
  }

  #counts(aspect: ObjectAspect, then: AnnotatedObject, now: AnnotatedObject): boolean {
    switch (aspect) {
      case 'owner':
      case 'acl':
        return this.#owner === undefined
      case 'retention':
      case 'legalHold':
        return this.#hasLocks && strongerLocks(now.annotations, then.annotations, this.#scope.at)[aspect] !== undefined
      default:
        return true
    }
  }

  get #hasLocks(): boolean {
    return this.#states[1].row?.settings?.ObjectLock !== undefined
  }

  /** Where ACLs are off, a version that stays keeps the one it has. */
  #factsOf({ row, annotations }: AnnotatedObject, now: AnnotatedObject | undefined): ObjectFacts {
    const { tags: _tags, acl: _acl, retention: _retention, legalHold: _hold, ...written } = row.facts
    const { acl: then, ...others } = annotations
    const kept = now?.row.seq === row.seq ? now.annotations.acl : undefined
    const acl = this.#owner === undefined ? then : kept
    return { ...written, ...others, ...(acl && { acl }) }
  }
}
