/**
 * Multipart uploads. Of several parts with one number, the last one counts. A completion makes one object of the listed
 * parts; the other parts are dropped. The versioning state at the completion applies.
 */
import { limits } from '../base/limits.ts'
import type { ModelCommand } from './command.ts'
import {
  assembledEtag,
  bucketNamed,
  type Change,
  type ModelCompletion,
  type ModelState,
  type ModelUpload,
  type ModelVersion,
  refOf,
  refusal,
  sizeOf,
  uploadNamed,
  versionsOf,
  wholeEtag,
  withBucket,
  withEntry,
} from './state.ts'
import { addObject, checkConditions } from './versions.ts'

export function createUpload(
  state: ModelState,
  { name, bucket: bucketName, key }: ModelCommand<'createUpload'>,
): Change {
  const bucket = bucketNamed(state, bucketName)
  const upload = { name, key, time: state.time + 1, newestThen: versionsOf(bucket, key)[0], parts: new Map() }
  return { state: withUpload(state, bucketName, upload.name, upload), result: {} }
}

export function uploadPart(state: ModelState, command: ModelCommand<'uploadPart'>): Change {
  const { name, bucket, number, body } = command
  if (!Number.isInteger(number) || number < 1 || number > limits.partNumberMax) throw refusal('InvalidArgument')
  const upload = uploadNamed(state, command)
  const next = withUpload(state, bucket, upload.name, { ...upload, parts: withEntry(upload.parts, number, body) })
  return { state: { ...next, etags: withEntry(state.etags, name, wholeEtag(body)) }, result: { size: sizeOf(body) } }
}

export function abortUpload(state: ModelState, command: ModelCommand<'abortUpload'>): Change {
  return { state: withUpload(state, command.bucket, uploadNamed(state, command).name, undefined), result: {} }
}

/**
 * With `repeatable`, the same completion again returns the first answer while the version it made exists: a client that
 * did not get the answer may repeat the request.
 */
export function completeUpload(state: ModelState, command: ModelCommand<'completeUpload'>): Change {
  const { bucket: name, key, upload: uploadName } = command
  const listed = JSON.stringify(command.parts.map(({ number, part }) => [number, state.etags.get(part)]))
  const before = bucketNamed(state, name).completions.get(uploadName)
  if (command.repeatable === true && before?.key === key && before.listed === listed) {
    return answerAgain(state, command, before)
  }
  const upload = uploadNamed(state, command)
  const bodies = checkParts(state, command, upload)
  checkConditions(state, versionsOf(bucketNamed(state, name), key)[0], command)
  checkUnchangedSince(state, command, upload)
  const object = { body: bodies.join(''), etag: assembledEtag(bodies), bytes: command.name }
  const { state: added, result, version } = addObject(state, command, object)
  const { uploads, completions, ...bucket } = bucketNamed(added, name)
  const over = {
    ...bucket,
    uploads: withEntry(uploads, uploadName, undefined),
    completions: withEntry(completions, uploadName, { key, version, listed }),
  }
  return { state: withBucket(added, name, over), result }
}

function answerAgain(
  state: ModelState,
  { name, bucket, key }: ModelCommand<'completeUpload'>,
  { version }: ModelCompletion,
): Change {
  if (version.object === undefined || !isThere(version, versionsOf(bucketNamed(state, bucket), key))) {
    throw refusal('NoSuchUpload')
  }
  const etags = withEntry(state.etags, name, version.object.etag)
  return { state: { ...state, etags }, result: { version: refOf(version), size: sizeOf(version.object.body) } }
}

/** Its annotations. */
const isThere = ({ name }: ModelVersion, versions: readonly ModelVersion[]): boolean =>
  versions.some((version) => version.name === name)

/** The bodies of the listed parts, in order. */
function checkParts(
  state: ModelState,
  { parts, partSizeMin = limits.partSizeMin }: ModelCommand<'completeUpload'>,
  upload: ModelUpload,
): readonly string[] {
  if (parts.length === 0) throw refusal('InvalidRequest')
  if (parts.some(({ number }, i) => i > 0 && number <= (parts[i - 1]?.number ?? 0))) throw refusal('InvalidPartOrder')
  const bodies = parts.map(({ number, part }) => {
    const body = upload.parts.get(number)
    if (body === undefined || wholeEtag(body) !== state.etags.get(part)) throw refusal('InvalidPart')
    return body
  })
  if (bodies.slice(0, -1).some((body) => sizeOf(body) < partSizeMin)) throw refusal('EntityTooSmall')
  return bodies
}

/** A condition refers to the key at the start of the upload. A later write or delete of the key is a conflict. */
function checkUnchangedSince(
  state: ModelState,
  { bucket, key, ifMatch, ifNoneMatch }: ModelCommand<'completeUpload'>,
  { time, newestThen }: ModelUpload,
): void {
  const versions = versionsOf(bucketNamed(state, bucket), key)
  const written = versions[0] !== undefined && versions[0].time > time
  const deleted = newestThen?.object !== undefined && !isThere(newestThen, versions)
  if ((ifMatch !== undefined && written) || (ifNoneMatch !== undefined && (written || deleted))) {
    throw refusal('ConditionalRequestConflict')
  }
}

function withUpload(state: ModelState, bucketName: string, name: string, upload: ModelUpload | undefined): ModelState {
  const bucket = bucketNamed(state, bucketName)
  return withBucket(state, bucketName, { ...bucket, uploads: withEntry(bucket.uploads, name, upload) })
}
