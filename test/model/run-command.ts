/** The model's commands, run through the library. */
import { type CreateBucketOptions, isStorageError, type Store } from '@varve/core'
import type { ModelAnswer, ModelCommand, ModelConditions, ModelResult } from '@varve/core/model'
import type { Bindings } from './bindings.ts'

const actor = { id: 'local', name: 'local' }

/**
 * Runs one command under its name as request id, and binds what it made. Codes of the engine are answers too. Buckets
 * are created with the options of `newBucket`, of which the model knows nothing.
 */
export async function runCommand(
  store: Store,
  command: ModelCommand,
  bindings: Bindings,
  newBucket: CreateBucketOptions = {},
): Promise<ModelAnswer> {
  try {
    const requested = store.as({ by: actor, requestId: command.name })
    if (command.type === 'createBucket') {
      await requested.buckets.create(command.bucket, newBucket)
      return { ok: {} }
    }
    return { ok: await run(requested, command, bindings) }
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}

async function run(
  store: Store,
  command: Exclude<ModelCommand, { readonly type: 'createBucket' }>,
  bindings: Bindings,
): Promise<ModelResult> {
  switch (command.type) {
    case 'createSnapshot':
      await store.snapshots.create(command.snapshot)
      return {}
    case 'deleteSnapshot':
      await store.snapshots.delete(command.snapshot)
      return {}
    case 'deleteBucket':
      await store.buckets.delete(command.bucket)
      return {}
    case 'forkBucket':
      await store.buckets.fork(command.from, command.bucket)
      return {}
    case 'dropFork':
      await store.buckets.drop(command.bucket)
      return {}
    case 'setVersioning':
      await store.buckets.setVersioning(command.bucket, command.status)
      return {}
    case 'putObject': {
      const { bucket, key, body } = command
      return added(command, await store.objects.put(bucket, key, body, conditions(command, bindings)), bindings)
    }
    case 'copyObject': {
      const { bucket, key, from } = command
      const { version, ...place } = from
      const source = { ...place, ...(version !== undefined && { versionId: bindings.version(version) }) }
      return added(command, await store.objects.copy(source, bucket, key, conditions(command, bindings)), bindings)
    }
    case 'deleteObject':
    case 'deleteVersion':
      return remove(store, command, bindings)
    case 'tagObject': {
      const { bucket, key, version, tag } = command
      const named = version === undefined ? {} : { versionId: bindings.version(version) }
      const value = tag === '' ? [] : [{ key: 'tag', value: tag }]
      await store.objects.annotate(bucket, key, { kind: 'tags', value }, named)
      return {}
    }
    case 'createUpload': {
      const { uploadId } = await store.uploads.create(command.bucket, command.key)
      bindings.bindUpload(command.name, uploadId)
      return {}
    }
    default:
      return continueUpload(store, command, bindings)
  }
}

async function remove(
  store: Store,
  command: ModelCommand<'deleteObject' | 'deleteVersion'>,
  bindings: Bindings,
): Promise<ModelResult> {
  const { bucket, key } = command
  const { ifMatch } = conditions(command, bindings)
  const condition = ifMatch === undefined ? {} : { ifMatch }
  if (command.type === 'deleteVersion') {
    const named = { versionId: bindings.version(command.version), ...condition }
    const { deleteMarker } = await store.objects.delete(bucket, key, named)
    return { version: command.version, deleteMarker }
  }
  const { versionId, deleteMarker } = await store.objects.delete(bucket, key, condition)
  if (versionId === undefined) return { deleteMarker }
  bindings.bindVersion(command.name, versionId)
  return { version: bindings.ref(versionId), deleteMarker }
}

async function continueUpload(
  { uploads }: Store,
  command: ModelCommand<'uploadPart' | 'completeUpload' | 'abortUpload'>,
  bindings: Bindings,
): Promise<ModelResult> {
  const { name, bucket, key } = command
  const upload = { bucket, key, uploadId: bindings.upload(command.upload) }
  switch (command.type) {
    case 'uploadPart': {
      const { etag, size } = await uploads.uploadPart(upload, command.number, command.body)
      bindings.bindEtag(name, etag)
      return { size }
    }
    case 'completeUpload': {
      const { parts, repeatable, partSizeMin } = command
      const listed = parts.map(({ number, part }) => ({ partNumber: number, etag: bindings.etag(part) }))
      const options = {
        ...conditions(command, bindings),
        ...(repeatable !== undefined && { repeatable }),
        ...(partSizeMin !== undefined && { partSizeMin }),
      }
      return added(command, await uploads.complete(upload, listed, options), bindings)
    }
    case 'abortUpload':
      await uploads.abort(upload)
      return {}
  }
}

function added(
  { name }: ModelCommand,
  { versionId, etag, size }: { readonly versionId: string; readonly etag: string; readonly size: number },
  bindings: Bindings,
): ModelResult {
  bindings.bindEtag(name, etag)
  bindings.bindVersion(name, versionId)
  return { version: bindings.ref(versionId), size }
}

function conditions({ ifMatch, ifNoneMatch }: ModelConditions, bindings: Bindings): ModelConditions {
  return {
    ...(ifMatch !== undefined && { ifMatch: ifMatch === '*' ? '*' : bindings.etag(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
  }
}
