/** Makes the current objects of a bucket those of the past, by new versions that share the old bytes. */
import type { RestoredKey, RestoredObject } from '../commands/command.ts'
import type { Actor, Cause, Event } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { annotationsIn } from '../reads/annotations.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { checkObjectSize, checkRoom, checkVersions, loadQuota, type QuotaState, versionsAdded } from '../reads/quota.ts'
import { findNewest, findReplaced } from '../views/find-version.ts'
import { isSameJson } from '../schema/same-json.ts'
import { type AnnotationKind, annotationEventType, type Annotations } from '../settings/annotation.ts'
import type { ObjectLockConfiguration } from '../settings/object-lock.ts'
import { strongerLocks } from '../settings/restored-locks.ts'
import { bucketRowAt } from '../views/bucket-row-at.ts'
import { costOf, hasBytes } from '../views/contents.ts'
import { bucketAt } from '../views/incarnation.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { annotationTable, bucketTable, pastVersionTable, versionTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'
import { originOf } from '../views/versions-in.ts'
import { loadObjectLock, retentionByDefault } from './creation.ts'
import { conflictOf } from './conflict-of.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly lock: ObjectLockConfiguration | undefined
  /** Present if bytes of another bucket are merged. What is restored was there before, and is not limited. */
  readonly quota: QuotaState | undefined
  /** In the order of the command. */
  readonly keys: readonly KeyState[]
}

interface KeyState {
  readonly newest: VersionRow | undefined
  /** The event that last changed its annotations, or 0. */
  readonly annotatedBy: Seq
  /** Of the newest version. */
  readonly annotations: Annotations
  /** The version that a new one replaces. */
  readonly replaced: VersionRow | undefined
  /** False if the bytes were erased, or their erasure has started. */
  readonly isKept: boolean
  /** The bucket that the restored version was added to: a base, if it is in a fork. */
  readonly source: string
  /** The bytes that the version costs its bucket. */
  readonly cost: number
}

/**
 * Reads a fixed number of rows for each key; callers limit the number of keys.
 * @throws `NoSuchBucket`, `QuotaExceeded` for a merge, `RestoreConflict` or `MergeConflict` unless keys are skipped.
 */
export const restoreObjects: Rule<'RestoreObjects', State> = {
  async load(rows, { bucket: name, source = name, cause, keys }) {
    const bucket = await rows.get(bucketTable.key(name))
    const from = { name: source, bucket: await bucketRowAt(rows, source, cause.to) }
    const loaded = Promise.all(keys.map((key) => loadKey(rows, { name, bucket, from }, key)))
    const quota = source === name ? undefined : await loadQuota(rows, name, bucket)
    return { bucket, quota, lock: await loadObjectLock(rows, name, bucket), keys: await loaded }
  },

  decide(
    { bucket, quota, lock, keys: states },
    { bucket: name, bucketSince, cause, planned, keys, skips },
    { by },
    { at },
  ) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (bucketSince !== undefined && bucket.since !== bucketSince)
      throw conflictOf(cause, 'The bucket was changed since this was planned.', {})
    const added = { bytes: 0, versions: 0 }
    return keys.flatMap((key, i): readonly Event[] => {
      const state = states[i] as KeyState
      if (isAsPlanned(state, key, planned)) {
        checkQuota(quota, { state, key, bucket }, added)
        return keyEvents(state, key, { name, bucket, lock, cause, by, at })
      }
      if (skips) return []
      const message = 'An object was changed, or its bytes were erased, since this was planned.'
      throw conflictOf(cause, message, { Key: key.key })
    })
  },
}

/** `added`: what this command has added to the bucket so far. */
function checkQuota(
  quota: QuotaState | undefined,
  { state: { newest, replaced, cost }, key: { object }, bucket }: KeyChange,
  added: { bytes: number; versions: number },
): void {
  if (quota === undefined || object === undefined || object.version === newest?.seq) return
  added.bytes += cost
  added.versions += versionsAdded(bucket, replaced)
  checkObjectSize(quota, object.facts.size)
  checkRoom(quota, added.bytes)
  checkVersions(quota, added.versions)
}

interface KeyChange {
  readonly state: KeyState
  readonly key: RestoredKey
  readonly bucket: BucketRow
}

interface Place {
  readonly name: string
  readonly bucket: BucketRow
  readonly lock: ObjectLockConfiguration | undefined
  readonly cause: Cause
  readonly by: Actor
  readonly at: number
}

interface NamedRow {
  readonly name: string
  readonly bucket: BucketRow | undefined
}

async function loadKey(
  rows: Rows,
  { name, bucket, from }: NamedRow & { readonly from: NamedRow },
  { key, object }: RestoredKey,
): Promise<KeyState> {
  const newest = await findNewest(rows, name, key)
  const kept = object !== undefined && object.version === newest?.seq
  return {
    newest,
    ...(await loadAnnotations(rows, bucket, { bucket: name, key, row: newest })),
    replaced: await findReplaced(rows, bucket, name, key),
    ...(object !== undefined && !kept
      ? await loadSource(rows, { from, to: bucket }, key, object)
      : { isKept: true, source: name, cost: 0 }),
  }
}

async function loadAnnotations(
  rows: Rows,
  bucket: BucketRow | undefined,
  { row, ...place }: { readonly bucket: string; readonly key: string; readonly row: VersionRow | undefined },
): Promise<Pick<KeyState, 'annotatedBy' | 'annotations'>> {
  if (bucket === undefined || row === undefined || row.deleteMarker) return { annotatedBy: 0, annotations: {} }
  const annotation = bucket.annotated && (await rows.get(annotationTable.key(place.bucket, place.key, row.seq)))
  return { annotatedBy: annotation?.since ?? 0, annotations: await annotationsIn(rows, bucket, { ...place, row }) }
}

async function loadSource(
  rows: Rows,
  { from: { name, bucket }, to }: { readonly from: NamedRow; readonly to: BucketRow | undefined },
  key: string,
  { version }: RestoredObject,
): Promise<Pick<KeyState, 'isKept' | 'source' | 'cost'>> {
  const source = await originOf(rows, { bucket: name, row: bucket, key }, version)
  const live = await rows.get(versionTable.key(source, key, version))
  const row = live ?? (await rows.get(pastVersionTable.key(source, key, version)))
  if (row === undefined || row.deleteMarker || !(await hasBytes(rows, row))) return { isKept: false, source, cost: 0 }
  const at = row.until === undefined ? (await bucketAt(rows, source, version)).incarnation : undefined
  return { isKept: true, source, cost: await costOf(rows, row.content, { to: to?.incarnation ?? 0, at }) }
}

const isAsPlanned = (state: KeyState, { newest }: RestoredKey, planned: Seq): boolean =>
  state.isKept && (state.newest?.seq ?? null) === newest && state.annotatedBy <= planned

function keyEvents(state: KeyState, { key, object }: RestoredKey, place: Place): readonly Event[] {
  if (object === undefined) return removal(state, key, place)
  if (object.version === state.newest?.seq) return annotationEvents(state, key, object, place)
  const { bucket, name, lock, cause, by, at } = place
  const { retention: _retention, legalHold: _hold, ...facts } = object.facts
  const locks = bucket.settings?.ObjectLock === undefined ? {} : strongerLocks({}, object.facts, at)
  const kept = {
    ...facts,
    ...locks,
    ...retentionByDefault(locks, lock, at),
    ...(object.owner.id !== by.id && { owner: object.owner }),
  }
  const copiedFrom = { bucket: state.source, key, version: object.version }
  return [{ type: 'VersionAdded', data: { bucket: name, key, ...placed(state, bucket), ...kept, copiedFrom, cause } }]
}

function placed({ replaced }: KeyState, { versioning }: BucketRow) {
  return { nullVersion: versioning !== 'Enabled', ...(replaced && { replaces: replaced.seq }) }
}

function removal(state: KeyState, key: string, { name, bucket, cause }: Place): readonly Event[] {
  const { newest } = state
  if (newest === undefined || newest.deleteMarker) return []
  if (bucket.versioning !== undefined)
    return [{ type: 'DeleteMarkerAdded', data: { bucket: name, key, ...placed(state, bucket), cause } }]
  return [{ type: 'VersionRemoved', data: { bucket: name, key, version: newest.seq, deleteMarker: false, cause } }]
}

/** The version is still the newest: only what was annotated since is put back, and locks only if they get stronger. */
function annotationEvents(
  { annotations }: KeyState,
  key: string,
  { version, facts }: RestoredObject,
  { name, bucket, cause, at }: Place,
): readonly Event[] {
  const locks = bucket.settings?.ObjectLock === undefined ? {} : strongerLocks(annotations, facts, at)
  const wanted: Annotations = { ...annotations, ...locks }
  const kinds: readonly AnnotationKind[] = ['tags', 'acl', 'retention', 'legalHold']
  return kinds.flatMap((kind): readonly Event[] => {
    const value = kind === 'tags' || kind === 'acl' ? facts[kind] : wanted[kind]
    if (isSameJson(annotations[kind], value)) return []
    const data = { bucket: name, key, version, ...(value !== undefined && { value }), cause }
    return [{ type: annotationEventType(kind), data } as Event]
  })
}
