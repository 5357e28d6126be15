/**
 * The meaning of the three states of versioning, and of conditions on writes.
 *
 *                    never set                 Enabled                     Suspended
 *     a write        takes the object's place  adds a version on top       adds on top, takes the null version's place
 *     delete a key   the object goes           adds a delete marker        the same marker, but a null version
 *     by version     `null` only               that version goes for good; the next older one is the newest
 */
import type { ModelCommand, ModelConditions } from './command.ts'
import { findObject } from './reads.ts'
import {
  bucketNamed,
  type Change,
  type ModelObject,
  type ModelState,
  type ModelVersion,
  refOf,
  refusal,
  sizeOf,
  versionsOf,
  wholeEtag,
  withBucket,
  withEntry,
  withVersions,
} from './state.ts'

export function putObject(state: ModelState, command: ModelCommand<'putObject'>): Change {
  const { bucket, key, body } = command
  checkConditions(state, versionsOf(bucketNamed(state, bucket), key)[0], command)
  return addObject(state, command, { body, etag: wholeEtag(body), bytes: body === '' ? '' : command.name })
}

/**
 * Checks the destination first, then the source. Refuses, as S3 does, a copy of an object to itself without a change.
 */
export function copyObject(state: ModelState, command: ModelCommand<'copyObject'>): Change {
  const { bucket, key, from } = command
  const into = bucketNamed(state, bucket)
  const source = findObject(state, from.bucket, from.key, from.version)
  if (from.bucket === bucket && from.key === key && from.version === undefined) throw refusal('InvalidRequest')
  checkConditions(state, versionsOf(into, key)[0], command)
  return addObject(state, command, source.object)
}

export function deleteObject(state: ModelState, command: ModelCommand<'deleteObject'>): Change {
  const { bucket: name, key, ifMatch } = command
  const bucket = bucketNamed(state, name)
  const versions = versionsOf(bucket, key)
  if (ifMatch !== undefined) checkConditions(state, versions[0], { ifMatch })
  if (bucket.versioning !== undefined) {
    const { state: next, version } = addVersion(state, command, undefined)
    return { state: next, result: { version: refOf(version), deleteMarker: true } }
  }
  const result = { deleteMarker: false }
  if (versions.length === 0) return { state, result }
  return { state: withBucket(state, name, withVersions(bucket, key, [])), result }
}

/** Deleting a missing version is no error. */
export function deleteVersion(state: ModelState, command: ModelCommand<'deleteVersion'>): Change {
  const { bucket: name, key, version: ref, ifMatch } = command
  const bucket = bucketNamed(state, name)
  if (bucket.versioning === undefined && ref !== 'null') throw refusal('InvalidArgument')
  const versions = versionsOf(bucket, key)
  const target = versions.find((version) => refOf(version) === ref)
  if (ifMatch !== undefined) checkConditions(state, target, { ifMatch })
  if (target === undefined) return { state, result: { version: ref, deleteMarker: false } }
  const rest = versions.filter((version) => version !== target)
  return {
    state: withBucket(state, name, withVersions(bucket, key, rest)),
    result: { version: ref, deleteMarker: target.object === undefined },
  }
}

/** Changes the tag of a version, which keeps its name and its place. */
export function tagObject(state: ModelState, command: ModelCommand<'tagObject'>): Change {
  const { bucket: name, key, version: ref, tag } = command
  const { object, name: tagged } = findObject(state, name, key, ref)
  const result = {}
  if ((object.tag ?? '') === tag) return { state, result }
  const { tag: _before, ...rest } = object
  const next = { ...rest, ...(tag !== '' && { tag }) }
  const bucket = bucketNamed(state, name)
  const versions = versionsOf(bucket, key).map((each) => (each.name === tagged ? { ...each, object: next } : each))
  return { state: withBucket(state, name, withVersions(bucket, key, versions)), result }
}

/** A delete marker counts as no object. @throws StorageError `PreconditionFailed`, `NoSuchKey`. */
export function checkConditions(
  state: ModelState,
  version: ModelVersion | undefined,
  { ifMatch, ifNoneMatch }: ModelConditions,
): void {
  const object = version?.object
  if (ifNoneMatch !== undefined && object !== undefined) throw refusal('PreconditionFailed')
  if (ifMatch === undefined) return
  if (object === undefined) throw refusal('NoSuchKey')
  if (ifMatch !== '*' && state.etags.get(ifMatch) !== object.etag) throw refusal('PreconditionFailed')
}

interface Place {
  readonly name: string
  readonly bucket: string
  readonly key: string
}

export function addObject(state: ModelState, place: Place, object: ModelObject): Change & { version: ModelVersion } {
  const { state: next, version } = addVersion(state, place, object)
  const etags = withEntry(next.etags, place.name, object.etag)
  return { state: { ...next, etags }, result: { version: refOf(version), size: sizeOf(object.body) }, version }
}

/** Adds a version as the newest of its key; without an object, a delete marker. */
function addVersion(
  state: ModelState,
  { name, bucket: bucketName, key }: Place,
  object: ModelObject | undefined,
): { readonly state: ModelState; readonly version: ModelVersion } {
  const bucket = bucketNamed(state, bucketName)
  const nullVersion = bucket.versioning !== 'Enabled'
  const version = { name, time: state.time + 1, nullVersion, ...(object && { object }) }
  const others = versionsOf(bucket, key).filter((other) => !(nullVersion && other.nullVersion))
  return { state: withBucket(state, bucketName, withVersions(bucket, key, [version, ...others])), version }
}
