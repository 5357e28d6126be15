/**
 * Plans a merge by three states: what the fork began as, what it is now, and what its base is now. A key that only the fork
 * changed is taken; a key that both changed is a conflict, unless both have the same of it.
 */
import { StorageError } from '../base/errors.ts'
import { differences } from '../diff/differences.ts'
import { type AnnotatedObject, aspectsOf } from '../diff/same-object.ts'
import { compareKey, objectOf, stateAt, type TwoStates } from '../diff/two-states.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { isErased, type PlannedKey, Planner, type Target } from '../restore/planner.ts'
import type { BucketRow } from '../views/rows.ts'

export interface MergeScope {
  readonly fork: string
  readonly prefix: string
  /** The state of both buckets that is merged. */
  readonly planned: Seq
  /** Takes what the fork has also where both changed a key. */
  readonly force: boolean
  /** Now, for locks. */
  readonly at: number
  readonly signal: AbortSignal | undefined
  /** Awaited before each key, so that a long plan does not block other work of the process. */
  readonly turn: () => Promise<void> | undefined
}

/** A key that fork and base both changed. What is absent has no object. */
export interface BothChanged {
  readonly key: string
  readonly before: AnnotatedObject | undefined
  readonly fork: AnnotatedObject | undefined
  readonly base: AnnotatedObject | undefined
}

export interface MergePlan {
  readonly bucket: string
  readonly bucketSince: Seq
  readonly keys: readonly PlannedKey[]
  readonly conflicts: readonly BothChanged[]
  readonly erased: readonly PlannedKey[]
}

/** @throws StorageError `NoSuchBucket` if the fork or its base is gone, `NotAFork` */
export async function planMerge(requests: RequestEngine, reader: RowReader, scope: MergeScope): Promise<MergePlan> {
  const { fork, prefix, planned, force, signal } = scope
  const { hashing } = requests.ports
  const state = (bucket: string, at: Seq) => stateAt(reader, hashing, bucket, at)
  const forked = await state(fork, planned)
  const { row, base } = forkOf(fork, forked.row)
  const bucket = base.bucket
  const target = await state(bucket, planned)
  if (target.row?.incarnation !== base.incarnation) throw baseIsGone(bucket)
  const now: Target = { ...target, bucket, row: target.row }
  const ownership = await now.snapshot.setting({ name: bucket, row: now.row }, 'Ownership')
  const planner = new Planner(now, scope.at, ownership === 'BucketOwnerEnforced' ? now.row.owner : undefined)
  const ofBase: TwoStates = [await state(bucket, base.position), now]
  const ofFork: TwoStates = [await state(fork, row.incarnation), forked]
  const [keys, erased, conflicts]: [PlannedKey[], PlannedKey[], BothChanged[]] = [[], [], []]
  const log = { journal: requests.owner.log, hashing }
  for await (const { key, before, after } of differences(log, ofFork, {
    bucket: fork,
    prefix,
    keys: undefined,
    signal,
  })) {
    const turn = scope.turn()
    if (turn !== undefined) await turn
    const present = await objectIn(now, key)
    if (isSame(after, present)) continue
    if (!force && (await isChanged(ofBase, { bucket, key }))) {
      conflicts.push({ key, before, fork: after, base: present })
      continue
    }
    const aspects = after && present ? aspectsOf(after, present) : []
    const change = { key, ...(after && { before: after }), ...(present && { after: present }), aspects }
    const taken = await planner.plan(change)
    if (taken === undefined) continue
    if (await isErased(requests, taken)) erased.push(taken)
    else keys.push(taken)
  }
  return { bucket, bucketSince: now.row.since, keys, conflicts, erased }
}

function forkOf(name: string, row: BucketRow | undefined): { row: BucketRow; base: NonNullable<BucketRow['base']> } {
  if (row === undefined) throw noSuchBucket(name)
  const { base } = row
  if (base !== undefined) return { row, base }
  throw new StorageError('NotAFork', `The bucket ${name} is no fork, so there is nothing to merge it into.`, {
    details: { BucketName: name },
  })
}

const baseIsGone = (bucket: string): StorageError =>
  new StorageError('NoSuchBucket', `The bucket ${bucket} that the fork began as is gone.`, {
    details: { BucketName: bucket },
  })

async function objectIn({ bucket, row, snapshot }: Target, key: string): Promise<AnnotatedObject | undefined> {
  const found = objectOf(await snapshot.newest(bucket, key))
  return found && { row: found, annotations: await snapshot.annotations(row, { bucket, key, row: found }) }
}

const isSame = (a: AnnotatedObject | undefined, b: AnnotatedObject | undefined): boolean =>
  a === undefined || b === undefined ? a === b : aspectsOf(a, b).length === 0

/** Whether the base has changed the key since the fork began. A version that was written again with other bytes is a change. */
async function isChanged(states: TwoStates, { bucket, key }: { readonly bucket: string; readonly key: string }) {
  const [before, now] = states
  const rows = [
    objectOf(await before.snapshot.newest(bucket, key)),
    objectOf(await now.snapshot.newest(bucket, key)),
  ] as const
  return (await compareKey(states, { bucket, key, rows })) !== undefined
}
