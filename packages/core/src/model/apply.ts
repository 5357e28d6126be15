/** Applies one command: returns a new state and an answer. A refusal changes nothing. */
import { isStorageError } from '../base/errors.ts'
import type { ModelAnswer, ModelCommand } from './command.ts'
import { bucketNamed, type Change, emptyBucket, type ModelState, refusal, withBucket } from './state.ts'
import { dropFork, forkBucket } from './forks.ts'
import { createSnapshot, deleteSnapshot } from './snapshots.ts'
import { abortUpload, completeUpload, createUpload, uploadPart } from './uploads.ts'
import { copyObject, deleteObject, deleteVersion, putObject, tagObject } from './versions.ts'

/** The state after a command, and its answer. */
export interface Outcome {
  readonly state: ModelState
  readonly answer: ModelAnswer
}

/** Applies a command to the model. A refusal is an answer; the state stays the same. */
export function apply(state: ModelState, command: ModelCommand): Outcome {
  try {
    const { state: next, result } = change(state, command)
    return { state: next, answer: { ok: result } }
  } catch (error) {
    if (isStorageError(error)) return { state, answer: { error: error.code } }
    throw error
  }
}

function change(state: ModelState, command: ModelCommand): Change {
  switch (command.type) {
    case 'createBucket':
      if (state.buckets.has(command.bucket)) throw refusal('BucketAlreadyOwnedByYou')
      return { state: withBucket(state, command.bucket, emptyBucket), result: {} }
    case 'deleteBucket': {
      // Uploads in progress do not prevent deletion and end with the bucket. Delete markers do prevent it.
      if (bucketNamed(state, command.bucket).keys.size > 0) throw refusal('BucketNotEmpty')
      return { state: withBucket(state, command.bucket, undefined), result: {} }
    }
    case 'setVersioning': {
      const bucket = bucketNamed(state, command.bucket)
      if (bucket.versioning === command.status) return { state, result: {} }
      return { state: withBucket(state, command.bucket, { ...bucket, versioning: command.status }), result: {} }
    }
    case 'forkBucket':
      return forkBucket(state, { bucket: command.from, name: command.bucket })
    case 'dropFork':
      return dropFork(state, command.bucket)
    case 'putObject':
      return putObject(state, command)
    case 'copyObject':
      return copyObject(state, command)
    case 'deleteObject':
      return deleteObject(state, command)
    case 'deleteVersion':
      return deleteVersion(state, command)
    case 'tagObject':
      return tagObject(state, command)
    case 'createUpload':
      return createUpload(state, command)
    case 'uploadPart':
      return uploadPart(state, command)
    case 'completeUpload':
      return completeUpload(state, command)
    case 'abortUpload':
      return abortUpload(state, command)
    case 'createSnapshot':
      return createSnapshot(state, command.snapshot)
    case 'deleteSnapshot':
      return deleteSnapshot(state, command.snapshot)
  }
}
