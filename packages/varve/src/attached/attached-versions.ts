/** Versions in the process that has the store open. */
import { callArguments, type Objects, type ReadObjects, type ReadVersions, type Versions } from '@varve/core'
import { controlApi } from '@varve/http'
import { apart, type AttachedScope, stateOf } from './attached-scope.ts'

const { readVersionsOver, versionsOver } = callArguments

export const readAttachedVersions = (scope: AttachedScope, objects: ReadObjects): ReadVersions =>
  readVersionsOver(async (bucket, options) => {
    const [page, sending] = apart(options)
    return scope.client.value(controlApi.pageVersions, { bucket, ...page, ...stateOf(scope) }, sending)
  }, objects)

export const attachedVersions = (scope: AttachedScope, objects: Objects): Versions =>
  versionsOver(readAttachedVersions(scope, objects), objects)
