/** What gives a key of a bucket the object of another state: a version that shares the bytes, annotations, or a removal. */
import type { ObjectAspect } from '../api/types/index.ts'
import { isStorageError } from '../base/errors.ts'
import type { RestoredKey } from '../commands/command.ts'
import type { AnnotatedObject } from '../diff/same-object.ts'
import type { BucketState, ObjectDifference } from '../diff/two-states.ts'
import type { Actor, ObjectFacts } from '../events/index.ts'
import { assertKept } from '../requests/find-source.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { strongerLocks } from '../settings/restored-locks.ts'
import type { BucketRow } from '../views/rows.ts'

export interface PlannedKey {
  readonly restored: RestoredKey
  readonly difference: ObjectDifference
}

/** Whether the bytes of the object were erased, so that it cannot come back. */
export async function isErased(requests: RequestEngine, { restored, difference }: PlannedKey): Promise<boolean> {
  if (restored.object === undefined || difference.before === undefined) return false
  try {
    await assertKept(requests, difference.before.row)
    return false
  } catch (error) {
    if (isStorageError(error, 'ObjectErased')) return true
    throw error
  }
}

/** The bucket whose objects change, as it is now. */
export interface Target extends BucketState {
  readonly bucket: string
  readonly row: BucketRow
}

/** Whether all objects belong to the owner of the bucket, and have no ACLs, by the setting in this state. */
export async function hasOneOwner(
  bucket: string,
  { snapshot, row }: BucketState & { readonly row: BucketRow },
): Promise<boolean> {
  return (await snapshot.setting({ name: bucket, row }, 'Ownership')) === 'BucketOwnerEnforced'
}

export class Planner {
  readonly #target: Target
  /** Now, for locks. */
  readonly #at: number
  /** The owner of all objects, if the bucket has no other owners and no ACLs. */
  readonly #owner: Actor | undefined

  constructor(target: Target, at: number, owner: Actor | undefined) {
    this.#target = target
    this.#at = at
    this.#owner = owner
  }

  /**
   * `before` is the object that the key gets, `after` the one that it has. `undefined` if clients get the same of both, apart
   * from locks, which are never loosened.
   */
  async plan(difference: ObjectDifference): Promise<PlannedKey | undefined> {
    const { key, before: then, after: now } = difference
    const newest = now?.row.seq ?? (await this.#target.snapshot.newest(this.#target.bucket, key))?.seq ?? null
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
        return this.#hasLocks && strongerLocks(now.annotations, then.annotations, this.#at)[aspect] !== undefined
      default:
        return true
    }
  }

  get #hasLocks(): boolean {
    return this.#target.row.settings?.ObjectLock !== undefined
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
