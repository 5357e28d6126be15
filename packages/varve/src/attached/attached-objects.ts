/** Objects in the process that has the store open. */
import {
  type AnnotatedVersion,
  callArguments,
  type DeleteOutcome,
  type Objects,
  optionsOf,
  type ReadObjects,
  schema,
  StorageError,
  type ErrorCode,
} from '@varve/core'
import { controlApi } from '@varve/http'
import { attachedContent } from './attached-content.ts'
import { apart, type AttachedScope, stateOf } from './attached-scope.ts'
import { sentChecks } from './sent-checks.ts'

const { checked } = schema
const { checkBucket, checkPlace, isObjectThere, listing, reported, withBody } = callArguments

export function readAttachedObjects(scope: AttachedScope): ReadObjects {
  const { client } = scope
  const listPage: ReadObjects['listPage'] = async (bucket, given) => {
    const [page, sending] = apart(optionsOf(callArguments.objectPageOptions, given))
    return client.value(controlApi.pageObjects, { bucket, ...page, ...stateOf(scope) }, sending)
  }
  const head: ReadObjects['head'] = async (bucket, key, given) => {
    checkPlace(bucket, key)
    const [options, sending] = apart(optionsOf(callArguments.headOptions, given))
    return client.value(controlApi.headObject, { bucket, key, ...options, ...stateOf(scope) }, sending)
  }
  return {
    head,
    exists: (bucket, key, options) => isObjectThere(head(bucket, key, options)),
    async attributes(bucket, key, given) {
      checkPlace(bucket, key)
      const [options, sending] = apart(optionsOf(callArguments.attributeOptions, given))
      return client.value(controlApi.getAttributes, { bucket, key, ...options, ...stateOf(scope) }, sending)
    },
    async get(bucket, key, given) {
      checkPlace(bucket, key)
      // How the store uses its memory is of no use to a reader in another process.
      const { thrifty: _thrifty, reuseBuffers: _reuse, ...read } = optionsOf(callArguments.getOptions, given)
      const [options, sending] = apart(read)
      const input = { bucket, key, ...options, ...stateOf(scope) }
      return attachedContent(await client.content(controlApi.getContent, controlApi.headObject, input, sending))
    },
    async annotations(bucket, key, given): Promise<AnnotatedVersion> {
      checkPlace(bucket, key)
      const [options, sending] = apart(optionsOf(callArguments.annotationsOptions, given))
      return client.value(controlApi.getAnnotations, { bucket, key, ...options, ...stateOf(scope) }, sending)
    },
    listPage: async (bucket, options) => listPage(checkBucket(bucket), options),
    list: (bucket, options) =>
      listing(
        () => optionsOf(callArguments.objectPageOptions, options),
        (page) => listPage(checkBucket(bucket), page),
        ({ nextAfter }, page) => (nextAfter === undefined ? undefined : { ...page, after: nextAfter }),
      ),
  }
}

/** Enough targets for one request, however long their keys are. */
const targetsMax = 1000

export function attachedObjects(scope: AttachedScope): Objects {
  const { client } = scope
  return {
    ...readAttachedObjects(scope),
    put: (bucket, key, body, given) =>
      withBody(body, async (source) => {
        checkPlace(bucket, key)
        const [{ checksum, onProgress, ...options }, sending] = apart(optionsOf(callArguments.putOptions, given))
        const [checks, expected] = sentChecks(checksum)
        const input = { bucket, key, ...options, ...checks }
        const body = reported(source, onProgress)
        return client.value(controlApi.putContent, input, { ...sending, body, checksum: expected })
      }),
    async copy(given, bucket, key, givenOptions) {
      checkPlace(bucket, key)
      const source = checked('source', callArguments.copySource, given)
      const [options, sending] = apart(optionsOf(callArguments.copyOptions, givenOptions))
      return client.value(controlApi.copyObject, { ...options, source, bucket, key }, sending)
    },
    async delete(bucket, key, given) {
      checkPlace(bucket, key)
      const [options, sending] = apart(optionsOf(callArguments.deleteOptions, given))
      return client.value(controlApi.deleteObject, { bucket, key, ...options }, sending)
    },
    async deleteMany(bucket, given) {
      checkBucket(bucket)
      const targets = checked('targets', callArguments.deleteTargets, given)
      const outcomes: DeleteOutcome[] = []
      // The first request is made even for no target: it refuses a bucket that is not there.
      for (let from = 0; from === 0 || from < targets.length; from += targetsMax) {
        const some = targets.slice(from, from + targetsMax)
        for await (const { result, refused, ...target } of client.lines(controlApi.deleteObjects, {
          bucket,
          targets: some,
        })) {
          outcomes.push(result === undefined ? { ...target, error: errorOf(refused) } : { ...target, result })
        }
      }
      return outcomes
    },
    async annotate(bucket, key, given, givenOptions) {
      checkPlace(bucket, key)
      const annotation = checked('annotation', callArguments.annotation, given)
      const [options, sending] = apart(optionsOf(callArguments.annotateOptions, givenOptions))
      return client.value(controlApi.putAnnotation, { bucket, key, annotation, ...options }, sending)
    },
  }
}

type Refused = {
  readonly code: string
  readonly message: string
  readonly details: StorageError['details']
  readonly hint?: string
}

const errorOf = ({ code, message, details, hint }: Refused = noResult): StorageError =>
  new StorageError(code as ErrorCode, message, { details, hint })

const noResult: Refused = { code: 'InternalError', message: 'The deletion has no result.', details: {} }
