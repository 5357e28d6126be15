/**
 * Plans a merge by three states: what the fork began as, what it is now, and what its base is now. A key that only the fork
 * changed is taken; a key that both changed is a conflict, unless both have the same of it.
 */
import { StorageError } from '../base/errors.ts'
import { differences } from '../diff/differences.ts'
import { type AnnotatedObject, aspectsOf } from '../diff/same-object.ts'
import {
  type BucketState,
  compareKey,
  objectOf,
  type ObjectDifference,
  stateAt,
  type TwoStates,
} from '../diff/two-states.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
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

/** The states that are compared. */
interface States {
  /** The fork as it began, and as it is. */
  readonly fork: TwoStates
  /** Its base as it was when the fork began, and as it is. */
  readonly base: readonly [BucketState, Target]
}

/** @throws StorageError `NoSuchBucket` if the fork or its base is gone, `NotAFork` */
export async function planMerge(requests: RequestEngine, reader: RowReader, scope: MergeScope): Promise<MergePlan> {
  const { fork, prefix, signal } = scope
  const { hashing } = requests.ports
  const states = await statesOf(reader, hashing, scope)
  const [, target] = states.base
  const merger = new Merger(requests, states, { ...scope, planner: await plannerFor(target, scope.at) })
  const log = { journal: requests.owner.log, hashing }
  for await (const change of differences(log, states.fork, { bucket: fork, prefix, keys: undefined, signal })) {
    const turn = scope.turn()
    if (turn !== undefined) await turn
    await merger.add(change)
  }
  const { keys, conflicts, erased } = merger
  return { bucket: target.bucket, bucketSince: target.row.since, keys, conflicts, erased }
}

async function statesOf(reader: RowReader, hashing: Hashing, { fork, planned }: MergeScope): Promise<States> {
  const state = (bucket: string, at: Seq) => stateAt(reader, hashing, bucket, at)
  const now = await state(fork, planned)
  const { row, base } = forkOf(fork, now.row)
  const target = await state(base.bucket, planned)
  if (target.row?.incarnation !== base.incarnation) throw baseIsGone(base.bucket)
  return {
    fork: [await state(fork, row.incarnation), now],
    base: [await state(base.bucket, base.position), { ...target, bucket: base.bucket, row: target.row }],
  }
}

async function plannerFor(target: Target, at: number): Promise<Planner> {
  const { bucket: name, row, snapshot } = target
  const ownership = await snapshot.setting({ name, row }, 'Ownership')
  return new Planner(target, at, ownership === 'BucketOwnerEnforced' ? row.owner : undefined)
}

/** Sorts the changes of the fork into those that are taken and those that are not. */
class Merger implements Pick<MergePlan, 'keys' | 'conflicts' | 'erased'> {
  readonly keys: PlannedKey[] = []
  readonly conflicts: BothChanged[] = []
  readonly erased: PlannedKey[] = []
  readonly #requests: RequestEngine
  readonly #states: States
  readonly #options: { readonly planner: Planner; readonly force: boolean }

  constructor(
    requests: RequestEngine,
    states: States,
    options: { readonly planner: Planner; readonly force: boolean },
  ) {
    this.#requests = requests
    this.#states = states
    this.#options = options
  }

  async add({ key, before, after: fork }: ObjectDifference): Promise<void> {
    const { planner, force } = this.#options
    const [, target] = this.#states.base
    const base = await objectIn(target, key)
    if (isSame(fork, base)) return
    if (!force && (await isChanged(this.#states.base, key))) {
      this.conflicts.push({ key, before, fork, base })
      return
    }
    const aspects = fork && base ? aspectsOf(fork, base) : []
    const taken = await planner.plan({ key, ...(fork && { before: fork }), ...(base && { after: base }), aspects })
    if (taken === undefined) return
    const list = (await isErased(this.#requests, taken)) ? this.erased : this.keys
    list.push(taken)
  }
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

/** Whether the base has changed the key since the fork began. Bytes that were written again are a change. */
async function isChanged(states: States['base'], key: string): Promise<boolean> {
  const [before, now] = states
  const { bucket } = now
  const rows = [
    objectOf(await before.snapshot.newest(bucket, key)),
    objectOf(await now.snapshot.newest(bucket, key)),
  ] as const
  return (await compareKey(states, { bucket, key, rows })) !== undefined
}
