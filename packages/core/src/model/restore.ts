/** What it means to restore objects: new versions that share the old bytes; nothing that happened since is lost. */
import { diffObjects } from './diff.ts'
import { bucketNamed, type ModelState } from './state.ts'
import { addObject, deleteObject, tagObject } from './versions.ts'

/** A restore of the objects beneath a prefix to what they were in another state. */
export interface ModelRestore {
  /** Versions that it adds have this name, a space, and their key as their name. */
  readonly name: string
  readonly bucket: string
  readonly prefix?: string
  readonly past: ModelState
}

/** The state after a restore of everything. @throws StorageError `NoSuchBucket` unless both states have the bucket */
export function restoreObjects(state: ModelState, { name, bucket, prefix = '', past }: ModelRestore): ModelState {
  bucketNamed(state, bucket)
  bucketNamed(past, bucket)
  let next = state
  for (const { key, before, after } of diffObjects([past, state], { bucket, prefix })) {
    const place = { name: `${name} ${key}`, bucket, key }
    if (before === undefined) next = deleteObject(next, { type: 'deleteObject', ...place }).state
    else if (before.name !== after?.name) next = addObject(next, place, before.object).state
    else next = tagObject(next, { type: 'tagObject', ...place, tag: before.object.tag ?? '' }).state
  }
  return next
}
