/** Compares two states of a bucket. */
import { bucketChange, diffSettings } from '../diff/diff-bucket.ts'
import { diffObjects } from '../diff/diff-objects.ts'
import { type ObjectDifference, stateAt, type TwoStates } from '../diff/two-states.ts'
import type { AnnotatedObject } from '../diff/same-object.ts'
import { listedObject } from '../listings/listed-version.ts'
import type { Moment } from '../moments/moment.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { type ReadScope, withRows } from '../requests/read-scope.ts'
import { checked } from '../schema/schema.ts'
import { moment, optionsOf } from './arguments/common.ts'
import { diffOptions, diffScope } from './arguments/diff-options.ts'
import { type Listing, listing } from './listing.ts'
import type { DiffedVersion, DiffEntry, DiffOptions, DiffPage, DiffScope, ObjectDiff } from './types/index.ts'

export interface DiffRequest extends DiffOptions, DiffScope {
  readonly from: Moment
  readonly to: Moment
}

/** The arguments of a comparison, as they were given. */
export interface DiffArguments {
  readonly scope: DiffScope
  readonly from: Moment
  readonly to: Moment
  readonly options: DiffOptions | undefined
}

export const diff = (scope: ReadScope, given: DiffArguments): Listing<DiffEntry, DiffPage> =>
  diffOver((request) => diffPage(scope, request), given)

/** Checks arguments and goes from page to page. `page` compares, wherever the store is. */
export const diffOver = (
  page: (request: DiffRequest) => Promise<DiffPage>,
  { scope, from: begin, to: end, options }: DiffArguments,
): Listing<DiffEntry, DiffPage> =>
  listing(
    (): DiffRequest => ({
      ...checked('scope', diffScope, scope),
      from: checked('from', moment, begin),
      to: checked('to', moment, end),
      ...optionsOf(diffOptions, options),
    }),
    page,
    // The positions stay those of the first page.
    ({ from, to, nextAfter }, request) =>
      nextAfter === undefined ? undefined : { ...request, from, to, after: nextAfter },
  )

/** @throws StorageError `NoSuchBucket` if no bucket has this name in either state. */
async function diffPage(
  scope: ReadScope,
  { bucket, prefix = '', after, limit = 1000, signal, ...moments }: DiffRequest,
): Promise<DiffPage> {
  const { owner, ports } = scope.requests
  owner.assertOpen()
  const [from, to] = [await owner.positionOf(moments.from), await owner.positionOf(moments.to)]
  return withRows(scope, async (reader): Promise<DiffPage> => {
    const before = await stateAt(reader, ports.hashing, bucket, from)
    const states: TwoStates = [before, await stateAt(reader, ports.hashing, bucket, to)]
    if (states.every(({ row }) => row === undefined)) throw noSuchBucket(bucket)
    const log = { journal: owner.log, hashing: ports.hashing }
    const { found, nextAfter } = await diffObjects(log, states, { bucket, prefix, after, limit, signal })
    const entries = [...(after === undefined ? await bucketEntries(states, bucket) : []), ...found.map(objectDiff)]
    return { from, to, entries, isTruncated: nextAfter !== undefined, ...(nextAfter !== undefined && { nextAfter }) }
  })
}

async function bucketEntries(states: TwoStates, bucket: string): Promise<readonly DiffEntry[]> {
  const change = bucketChange(states)
  const settings = await diffSettings(states, bucket)
  return [
    ...(change === undefined ? [] : [{ kind: 'bucket', change } as const]),
    ...settings.map((setting) => ({ kind: 'setting', ...setting }) as const),
  ]
}

function objectDiff({ key, before, after, aspects }: ObjectDifference): ObjectDiff {
  if (before === undefined) return { kind: 'added', key, after: diffedVersion(key, after as AnnotatedObject) }
  if (after === undefined) return { kind: 'removed', key, before: diffedVersion(key, before) }
  return { kind: 'changed', key, before: diffedVersion(key, before), after: diffedVersion(key, after), aspects }
}

export function diffedVersion(key: string, { row }: AnnotatedObject): DiffedVersion {
  const { kind: _kind, key: _key, ...version } = listedObject({ key, row })
  return { seq: row.seq, ...version }
}
