import { StorageError } from '../base/errors.ts'
import { checkKey, checkMetadata } from '../naming/names.ts'
import type { CommandShapes } from '../commands/command.ts'
import { objectErased } from '../content/manifests.ts'
import type { VersionRow } from '../views/version-row.ts'
import { bucketRowAt } from '../views/bucket-row-at.ts'
import { costOf, hasBytes } from '../views/contents.ts'
import { bucketAt } from '../views/incarnation.ts'
import type { Rows } from '../views/row-reader.ts'
import { bucketTable, pastVersionTable, versionTable } from '../views/tables.ts'
import { originOf, versionIn } from '../views/versions-in.ts'
import { checkWriteConditions } from '../reads/conditions.ts'
import { checkObjectCount, checkObjectSize, checkRoom, loadQuota, type QuotaState } from '../reads/quota.ts'
import { checkedCreation, loadNewVersion, type NewVersionState, placeVersion } from './new-version.ts'
import { owned } from './ownership.ts'
import type { Rule } from './rule.ts'

type State = NewVersionState & {
  readonly quota: QuotaState | undefined
  readonly source: VersionRow | undefined
  /** Whether the bytes of the source were erased. */
  readonly isErased: boolean
  /** The bucket that the source was added to: a base, if a fork shows it. */
  readonly origin: string
  /** The bytes that the copy costs its bucket. */
  readonly cost: number
}

/**
 * The copy shares the bytes of its source. @throws as `PutObject`; `NoSuchVersion` when the source is gone; `ObjectErased`
 * when its bytes are.
 */
export const copyObject: Rule<'CopyObject', State> = {
  async load(rows, command, _hashing, { by }) {
    const state = await loadNewVersion(rows, command, by)
    const quota = await loadQuota(rows, command.bucket, state.bucket)
    const found = await loadSource(rows, command.source)
    const cost = quota === undefined ? 0 : await loadCost(rows, { ...state, ...found }, command.source)
    return { ...state, ...found, quota, cost }
  },

  decide(
    state,
    { bucket, key, source: { key: sourceKey, version }, metadata, checksum, conditions, creation },
    _meta,
    { at },
  ) {
    checkKey(key)
    checkMetadata(metadata)
    const place = placeVersion(state, bucket)
    checkWriteConditions(state.newest, conditions, key)
    if (state.source === undefined || state.source.deleteMarker) {
      throw new StorageError('NoSuchVersion', 'The source of the copy is gone.', { details: { Key: sourceKey } })
    }
    if (state.isErased) throw objectErased()
    const { size, etag, content, partsCount } = state.source.facts
    checkObjectSize(state.quota, size)
    checkRoom(state.quota, state.cost)
    checkObjectCount(state.quota, state.bucket, state.nullVersion)
    const facts = {
      size,
      etag,
      content,
      metadata,
      ...(checksum && { checksum }),
      ...(partsCount && { partsCount }),
      ...owned(creation, state),
      ...checkedCreation(state, creation, at),
    }
    const copiedFrom = { bucket: state.origin, key: sourceKey, version }
    return [{ type: 'VersionAdded', data: { bucket, key, ...place, ...facts, copiedFrom } }]
  },
}

async function loadCost(
  rows: Rows,
  { bucket, source, origin }: Pick<State, 'bucket' | 'source' | 'origin'>,
  { version }: CommandShapes['CopyObject']['source'],
): Promise<number> {
  if (bucket === undefined || source === undefined || source.deleteMarker) return 0
  const at = source.until === undefined ? (await bucketAt(rows, origin, version)).incarnation : undefined
  return costOf(rows, source.content, { to: bucket.incarnation, at })
}

async function loadSource(
  rows: Rows,
  { bucket, key, version, at }: CommandShapes['CopyObject']['source'],
): Promise<Pick<State, 'source' | 'isErased' | 'origin'>> {
  const row = at === undefined ? await rows.get(bucketTable.key(bucket)) : await bucketRowAt(rows, bucket, at)
  const place = { bucket, row, key, ...(at !== undefined && { at }) }
  const origin = await originOf(rows, place, version)
  const isGone = at === undefined && (await versionIn(rows, place, version)) === undefined
  if (isGone) return { source: undefined, isErased: false, origin }
  const live = await rows.get(versionTable.key(origin, key, version))
  const source = live ?? (await rows.get(pastVersionTable.key(origin, key, version)))
  return { source, isErased: source !== undefined && !(await hasBytes(rows, source)), origin }
}
