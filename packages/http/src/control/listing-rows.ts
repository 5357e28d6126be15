/** Listings of objects and of versions. */
import {
  type CommonPrefix,
  type ListedMarker,
  type ListedObject,
  type ListedVersion,
  type ListOptions,
  checksumAlgorithms,
  schema,
} from '@varve/core'
import { streamedPage } from './answer-holding.ts'
import { actor, asOf, isoDate, name, position } from './common-fields.ts'
import { type AsOf, linesRow, type StoreView } from './control-row.ts'
import { momentForm, query } from './input.ts'

const { boolean, either, integer, literal, object, objectWith, optional, text } = schema

/** Which keys are listed. */
export interface ListedKeys extends AsOf {
  readonly bucket: string
  readonly prefix?: string
  readonly delimiter?: string
}

export const listedKeysFields: schema.FieldsOf<ListedKeys> = {
  bucket: name,
  prefix: optional(name),
  delimiter: optional(name),
  ...asOf,
}

const input = query(object<ListedKeys>(listedKeysFields), { at: momentForm })

export const commonPrefix = objectWith<CommonPrefix>({ kind: literal('prefix'), prefix: text() })

/** What a listing shows of a version, besides its key. */
export const listedFacts: schema.FieldsOf<Omit<ListedObject, 'kind' | 'key'>> = {
  versionId: text(),
  etag: text(),
  size: integer({ min: 0 }),
  lastModified: isoDate,
  owner: actor,
  checksum: optional(
    objectWith<NonNullable<ListedObject['checksum']>>({
      algorithm: literal(...checksumAlgorithms),
      type: literal('COMPOSITE', 'FULL_OBJECT'),
    }),
  ),
  storageClass: optional(text()),
}

const oneObject = objectWith<ListedObject>({ kind: literal('object'), key: text(), ...listedFacts })

export const listedObject = either<ListedObject | CommonPrefix>('an entry of a listing', oneObject, commonPrefix)

const version = objectWith<ListedVersion>({
  kind: literal('version'),
  seq: position,
  isLatest: boolean,
  key: text(),
  ...listedFacts,
})

const marker = objectWith<ListedMarker>({
  kind: literal('marker'),
  key: text(),
  versionId: text(),
  seq: position,
  isLatest: boolean,
  lastModified: isoDate,
  owner: actor,
})

export const listedVersion = either<ListedVersion | ListedMarker | CommonPrefix>(
  'an entry of a listing',
  version,
  marker,
  commonPrefix,
)

const within = ({ prefix, delimiter }: ListedKeys): ListOptions => ({
  ...(prefix !== undefined && { prefix }),
  ...(delimiter !== undefined && { delimiter }),
})

export const listObjects = linesRow<ListedKeys, ListedObject | CommonPrefix>({
  name: 'ListObjects',
  summary: 'Objects and common prefixes',
  method: 'GET',
  path: '/-/v1/objects',
  isTransactional: true,
  input,
  output: listedObject,
  run: ({ view, input, signal }) => objectsIn(view, input.bucket, { ...within(input), signal }),
})

export const listVersions = linesRow<ListedKeys, ListedVersion | ListedMarker | CommonPrefix>({
  name: 'ListVersions',
  summary: 'Versions, delete markers and common prefixes',
  method: 'GET',
  path: '/-/v1/versions',
  isTransactional: true,
  input,
  output: listedVersion,
  run: ({ view, input, signal }) => versionsIn(view, input.bucket, { ...within(input), signal }),
})

/** A page waits in memory while its client reads nothing, so it is short. */
async function* objectsIn(
  { objects }: StoreView,
  bucket: string,
  options: ListOptions,
): AsyncGenerator<ListedObject | CommonPrefix> {
  for (let after = ''; ; ) {
    const page = await objects.listPage(bucket, { ...options, limit: streamedPage, after })
    yield* page.entries
    if (page.nextAfter === undefined) return
    after = page.nextAfter
  }
}

async function* versionsIn(
  { versions }: StoreView,
  bucket: string,
  options: ListOptions,
): AsyncGenerator<ListedVersion | ListedMarker | CommonPrefix> {
  let markers = {}
  for (;;) {
    const { entries, isTruncated, last } = await versions.listPage(bucket, {
      ...options,
      limit: streamedPage,
      ...markers,
    })
    yield* entries
    if (!isTruncated || last === undefined) return
    markers = { keyMarker: last.key, ...(last.versionId !== undefined && { versionIdMarker: last.versionId }) }
  }
}
