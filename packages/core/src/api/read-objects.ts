/** Reads of objects, in the newest state or as of a position: both use the same code. */
import type { Soon } from '../base/soon.ts'
import type { AnnotatedVersion } from '../requests/annotate.ts'
import { isObjectThere } from './is-there.ts'
import { type Listing, listing } from './listing.ts'
import { listObjects } from '../listings/list-objects.ts'
import { pageOfParts } from '../requests/object-parts.ts'
import { versionId } from '../naming/version-id.ts'
import { objectInfo } from '../requests/object-info.ts'
import type { FoundObject } from '../requests/find-object.ts'
import { findShown, readFound, selectFound } from '../requests/read-object.ts'
import { type ReadScope, withSnapshot } from '../requests/read-scope.ts'
import { checkBucket, checkPlace, optionsOf } from './arguments/common.ts'
import {
  annotationsOptions,
  attributeOptions,
  getOptions,
  headOptions,
  objectPageOptions,
} from './arguments/read-options.ts'
import type {
  AttributeOptions,
  Cancelable,
  CommonPrefix,
  GetOptions,
  HeadOptions,
  ListedObject,
  ListOptions,
  ObjectAttributes,
  ObjectContent,
  ObjectInfo,
  ObjectPage,
  ObjectPageOptions,
} from './types/index.ts'

/** Reads objects. */
export interface ReadObjects {
  /**
   * An object and its bytes, as a stream that checks them while it is read.
   * @throws StorageError `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` (a delete marker by id),
   * `PreconditionFailed`, `NotModified`, `InvalidRange`, `InvalidPartNumber`, `ObjectErased`, `BlobMissing`, `BlobCorrupt`;
   * where the bytes are encrypted, `InvalidRequest`, `AccessDenied` (another key), `KeyUnavailable`, `KMS.NotFoundException`.
   */
  get(bucket: string, key: string, options?: GetOptions): Promise<ObjectContent>
  /** As `get`, without the bytes. */
  head(bucket: string, key: string, options?: HeadOptions): Promise<ObjectInfo>
  /** Whether there is an object, or the named version. A delete marker is none. @throws StorageError `NoSuchBucket` */
  exists(bucket: string, key: string, options?: HeadOptions): Promise<boolean>
  /**
   * The attributes of an object beside its headers; with `parts`, also a page of its parts.
   * @throws StorageError as `head`, and `ObjectErased` for parts that are gone.
   */
  attributes(bucket: string, key: string, options?: AttributeOptions): Promise<ObjectAttributes>
  /**
   * Returns the current annotations of a version: those it was created with, and the changes of later calls.
   * @throws StorageError as `head`.
   */
  annotations(
    bucket: string,
    key: string,
    options?: { readonly versionId?: string } & Cancelable,
  ): Promise<AnnotatedVersion>
  /** Current objects in the order of their keys' bytes. */
  list(bucket: string, options?: ListOptions): Listing<ListedObject | CommonPrefix, ObjectPage>
  listPage(bucket: string, options?: ObjectPageOptions): Promise<ObjectPage>
}

export function readObjects(scope: ReadScope): ReadObjects {
  const { expirations } = scope.requests
  const find = (bucket: string, key: string, { versionId: id }: Pick<HeadOptions, 'versionId'>): Soon<FoundObject> =>
    withSnapshot(scope, (snapshot) => findShown(snapshot, { bucket, key, id, expirations }), { bucket, key })

  const readable = (found: FoundObject, options: HeadOptions): FoundObject => {
    scope.requests.keys.checkReader(found.row.facts.encryption, options)
    return found
  }

  const listPage = async (bucket: string, options: ObjectPageOptions) =>
    withSnapshot(scope, (snapshot) => listObjects(snapshot, bucket, options), { bucket })

  const head = async (bucket: string, key: string, given?: HeadOptions): Promise<ObjectInfo> => {
    checkPlace(bucket, key)
    const options = optionsOf(headOptions, given)
    options.signal?.throwIfAborted()
    const found = readable(await find(bucket, key, options), options)
    return selectFound(scope, objectInfo(bucket, key, found), found.row, options)
  }

  return {
    head,
    exists: (bucket, key, options) => isObjectThere(head(bucket, key, options)),

    async attributes(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(attributeOptions, given)
      options.signal?.throwIfAborted()
      const found = readable(await find(bucket, key, options), options)
      const info = objectInfo(bucket, key, found)
      const parts = options.parts && (await pageOfParts(scope, found.row, options.parts))
      return parts === undefined ? info : { ...info, parts }
    },

    async get(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(getOptions, given)
      return readFound(scope, { bucket, key }, options, () => find(bucket, key, options))
    },

    async annotations(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(annotationsOptions, given)
      options.signal?.throwIfAborted()
      const { row, annotations } = await find(bucket, key, options)
      return { versionId: versionId(row), seq: row.seq, owner: row.owner, ...annotations }
    },

    listPage: async (bucket, options) => listPage(checkBucket(bucket), optionsOf(objectPageOptions, options)),
    list: (bucket, options) =>
      listing(
        () => optionsOf(objectPageOptions, options),
        (page) => listPage(checkBucket(bucket), page),
        ({ nextAfter }, page) => (nextAfter === undefined ? undefined : { ...page, after: nextAfter }),
      ),
  }
}
