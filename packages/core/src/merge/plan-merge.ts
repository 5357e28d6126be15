/**
 * Plans a merge by three states: what the fork began as, what it is now, and what its base is now. A key that only the fork
 * changed is taken; a key that both changed is a conflict, unless both have the same of it.
 */
import { StorageError } from '../base/errors.ts'
import { differences } from '../diff/differences.ts'
import { type AnnotatedObject, aspectsOf } from '../diff/same-object.ts'
import { objectOf, type ObjectDifference, stateAt, type TwoStates } from '../diff/two-states.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { hasOneOwner, isErased, type PlannedKey, Planner, type Target } from '../restore/planner.ts'
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
  const { fork, prefix, signal } = scope
  const { hashing } = requests.ports
  const { changed, target } = await statesOf(reader, hashing, scope)
  const owner = (await hasOneOwner(target.bucket, target)) ? target.row.owner : undefined
  const merger = new Merger(requests, target, { force: scope.force, planner: new Planner(target, scope.at, owner) })
  const log = { journal: requests.owner.log, hashing }
  for await (const change of differences(log, changed, { bucket: fork, prefix, signal })) {
    const turn = scope.turn()
    if (turn !== undefined) await turn
    await merger.add(change)
  }
  const { keys, conflicts, erased } = merger
  return { bucket: target.bucket, bucketSince: target.row.since, keys, conflicts, erased }
}

interface States {
  /** The fork as it began, which is its base as it was, and as it is. */
  readonly changed: TwoStates
  /** The base as it is. */
  readonly target: Target
}

async function statesOf(reader: RowReader, hashing: Hashing, { fork, planned }: MergeScope): Promise<States> {
  const now = await stateAt(reader, hashing, fork, planned)
  const { row, base } = forkOf(fork, now.row)
  const { bucket } = base
  const target = await stateAt(reader, hashing, bucket, planned)
  if (target.row?.incarnation !== base.incarnation) throw baseIsGone(bucket)
  const began = await stateAt(reader, hashing, fork, row.incarnation)
  return { changed: [began, now], target: { ...target, bucket, row: target.row } }
}

/** Sorts the changes of the fork into those that are taken and those that are not. */
class Merger implements Pick<MergePlan, 'keys' | 'conflicts' | 'erased'> {
  readonly keys: PlannedKey[] = []
  readonly conflicts: BothChanged[] = []
  readonly erased: PlannedKey[] = []
  readonly #requests: RequestEngine
  readonly #target: Target
  readonly #options: { readonly planner: Planner; readonly force: boolean }

  constructor(
    requests: RequestEngine,
    target: Target,
    options: { readonly planner: Planner; readonly force: boolean },
  ) {
    this.#requests = requests
    this.#target = target
    this.#options = options
  }

  async add({ key, before, after: fork }: ObjectDifference): Promise<void> {
    const { planner, force } = this.#options
    const base = await objectIn(this.#target, key)
    if (isSame(fork, base)) return
    if (!force && !isSame(before, base)) {
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

/** Whether clients get the same of both. Bytes that were written again differ. */
const isSame = (a: AnnotatedObject | undefined, b: AnnotatedObject | undefined): boolean =>
  a === undefined || b === undefined ? a === b : aspectsOf(a, b).length === 0
