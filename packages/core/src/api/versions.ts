import { checked } from '../schema/schema.ts'
import { checkBucket, name, optionsOf } from './arguments/common.ts'
import { versionGetOptions, versionHeadOptions, versionPageOptions } from './arguments/read-options.ts'
import { versionDeleteOptions } from './arguments/write-options.ts'
import { type ReadScope, withSnapshot } from '../requests/read-scope.ts'
import { type Listing, listing } from './listing.ts'
import { listVersions } from '../listings/list-versions.ts'
import type { Objects } from './objects.ts'
import type { ReadObjects } from './read-objects.ts'
import type {
  CommonPrefix,
  DeleteOptions,
  DeleteResult,
  GetOptions,
  HeadOptions,
  ListedMarker,
  ListedVersion,
  ListOptions,
  ObjectContent,
  ObjectInfo,
  VersionPage,
  VersionPageOptions,
} from './types/index.ts'

/** Lists the versions of objects. */
export interface ReadVersions {
  /** Versions and delete markers, in the order of the keys' bytes; the newest version of a key first. */
  list(bucket: string, options?: ListOptions): Listing<ListedVersion | ListedMarker | CommonPrefix, VersionPage>
  listPage(bucket: string, options?: VersionPageOptions): Promise<VersionPage>
  /** `objects.get` for one version. */
  get(bucket: string, key: string, versionId: string, options?: Omit<GetOptions, 'versionId'>): Promise<ObjectContent>
  head(bucket: string, key: string, versionId: string, options?: Omit<HeadOptions, 'versionId'>): Promise<ObjectInfo>
}

/** Lists and removes the versions of objects. */
export interface Versions extends ReadVersions {
  /** Permanently removes one version or delete marker. */
  delete(
    bucket: string,
    key: string,
    versionId: string,
    options?: Omit<DeleteOptions, 'versionId'>,
  ): Promise<DeleteResult>
}

export const readVersions = (scope: ReadScope, objects: ReadObjects): ReadVersions =>
  readVersionsOver(
    async (bucket, options) => withSnapshot(scope, (snapshot) => listVersions(snapshot, bucket, options), { bucket }),
    objects,
  )

/** Checks arguments and goes from page to page. `listPage` and `objects` read, wherever the store is. */
export function readVersionsOver(
  listPage: (bucket: string, options: VersionPageOptions) => Promise<VersionPage>,
  objects: ReadObjects,
): ReadVersions {
  return {
    listPage: async (bucket, options) => listPage(checkBucket(bucket), optionsOf(versionPageOptions, options)),
    list: (bucket, options) =>
      listing(
        () => optionsOf(versionPageOptions, options),
        (page) => listPage(checkBucket(bucket), page),
        ({ last }, { keyMarker: _key, versionIdMarker: _id, ...page }) =>
          last && {
            ...page,
            keyMarker: last.key,
            ...(last.versionId !== undefined && { versionIdMarker: last.versionId }),
          },
      ),
    async get(bucket, key, versionId, options) {
      return objects.get(bucket, key, { ...optionsOf(versionGetOptions, options), versionId: idOf(versionId) })
    },
    async head(bucket, key, versionId, options) {
      return objects.head(bucket, key, { ...optionsOf(versionHeadOptions, options), versionId: idOf(versionId) })
    },
  }
}

/** Refuses an absent id, which would mean the newest version. */
const idOf = (versionId: unknown): string => checked('versionId', name, versionId)

export const versions = (scope: ReadScope, objects: Objects): Versions =>
  versionsOver(readVersions(scope, objects), objects)

/** As `readVersionsOver`, with what writes. */
export const versionsOver = (read: ReadVersions, objects: Objects): Versions => ({
  ...read,
  async delete(bucket, key, versionId, options) {
    return objects.delete(bucket, key, { ...optionsOf(versionDeleteOptions, options), versionId: idOf(versionId) })
  },
})
