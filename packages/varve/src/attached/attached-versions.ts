/** Versions in the process that has the store open. */
import {
  callArguments,
  type Objects,
  optionsOf,
  type ReadObjects,
  type ReadVersions,
  schema,
  type Versions,
} from '@varve/core'
import { controlApi } from '@varve/http'
import { apart, type AttachedScope, stateOf } from './attached-scope.ts'

const { checkBucket, listing, name } = callArguments

export function readAttachedVersions(scope: AttachedScope, objects: ReadObjects): ReadVersions {
  const listPage: ReadVersions['listPage'] = async (bucket, given) => {
    const [page, sending] = apart(optionsOf(callArguments.versionPageOptions, given))
    return scope.client.value(controlApi.pageVersions, { bucket, ...page, ...stateOf(scope) }, sending)
  }
  return {
    listPage: async (bucket, options) => listPage(checkBucket(bucket), options),
    list: (bucket, options) =>
      listing(
        () => optionsOf(callArguments.versionPageOptions, options),
        (page) => listPage(checkBucket(bucket), page),
        ({ last }, { keyMarker: _key, versionIdMarker: _id, ...page }) =>
          last && {
            ...page,
            keyMarker: last.key,
            ...(last.versionId !== undefined && { versionIdMarker: last.versionId }),
          },
      ),
    async get(bucket, key, versionId, options) {
      const given = optionsOf(callArguments.versionGetOptions, options)
      return objects.get(bucket, key, { ...given, versionId: idOf(versionId) })
    },
    async head(bucket, key, versionId, options) {
      const given = optionsOf(callArguments.versionHeadOptions, options)
      return objects.head(bucket, key, { ...given, versionId: idOf(versionId) })
    },
  }
}

/** Refuses an absent id, which would mean the newest version. */
const idOf = (versionId: unknown): string => schema.checked('versionId', name, versionId)

export const attachedVersions = (scope: AttachedScope, objects: Objects): Versions => ({
  ...readAttachedVersions(scope, objects),
  async delete(bucket, key, versionId, options) {
    const given = optionsOf(callArguments.versionDeleteOptions, options)
    return objects.delete(bucket, key, { ...given, versionId: idOf(versionId) })
  },
})
