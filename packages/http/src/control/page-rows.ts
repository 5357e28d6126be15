/** Pages of listings, each of one committed state. */
import {
  type CommonPrefix,
  type DiffEntry,
  type DiffPage,
  type ListedMarker,
  type ListedObject,
  type ListedVersion,
  type ObjectPage,
  schema,
  StorageError,
  type VersionPage,
} from '@varve/core'
import { anyNumber } from './call-values.ts'
import { moment, name, position } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { type DiffInput, diffEntry } from './diff-row.ts'
import { momentForm, numberForm, query, type TextForm } from './input.ts'
import { type ListedKeys, listedObject, listedKeysFields, listedVersion } from './listing-rows.ts'

const { array, boolean, literal, object, objectWith, optional, text } = schema

/** A page of keys. */
export interface PageInput extends ListedKeys {
  /** The maximum number of entries, 0 to 1000. @default 1000 */
  readonly limit?: number
}

export const pageFields: schema.FieldsOf<PageInput> = { ...listedKeysFields, limit: optional(anyNumber) }

export const pageForms: Readonly<Record<'at' | 'limit', TextForm>> = { at: momentForm, limit: numberForm }

/** A page of objects. */
export interface ObjectPageInput extends PageInput {
  readonly after?: string
}

export const pageObjects = valueRow<ObjectPageInput, ObjectPage>({
  name: 'PageObjects',
  summary: 'A page of objects and common prefixes',
  method: 'GET',
  path: '/-/v1/objects/page',
  isTransactional: true,
  input: query(object<ObjectPageInput>({ ...pageFields, after: optional(text()) }), pageForms),
  output: objectWith<ObjectPage>({
    entries: array<ListedObject | CommonPrefix>(listedObject),
    isTruncated: boolean,
    nextAfter: optional(text()),
  }),
  run: ({ view, input: { bucket, at: _at, ...page }, signal }) => view.objects.listPage(bucket, { ...page, signal }),
})

/** A page of versions. */
export interface VersionPageInput extends PageInput {
  readonly keyMarker?: string
  readonly versionIdMarker?: string
  readonly markers?: 'exclusive' | 'inclusive'
}

export const pageVersions = valueRow<VersionPageInput, VersionPage>({
  name: 'PageVersions',
  summary: 'A page of versions, delete markers and common prefixes',
  method: 'GET',
  path: '/-/v1/versions/page',
  isTransactional: true,
  input: query(
    object<VersionPageInput>({
      ...pageFields,
      keyMarker: optional(text()),
      versionIdMarker: optional(text()),
      markers: optional(literal('exclusive', 'inclusive')),
    }),
    pageForms,
  ),
  output: objectWith<VersionPage>({
    entries: array<ListedVersion | ListedMarker | CommonPrefix>(listedVersion),
    isTruncated: boolean,
    last: optional(objectWith<NonNullable<VersionPage['last']>>({ key: text(), versionId: optional(text()) })),
    next: optional(objectWith<NonNullable<VersionPage['next']>>({ key: text(), versionId: text() })),
  }),
  run: ({ view, input: { bucket, at: _at, ...page }, signal }) => view.versions.listPage(bucket, { ...page, signal }),
})

/** A page of what differs. */
export interface DiffPageInput extends DiffInput {
  readonly limit?: number
  readonly after?: string
}

export const pageDiff = valueRow<DiffPageInput, DiffPage>({
  name: 'PageDiff',
  summary: 'A page of what differs in a bucket between two moments',
  method: 'GET',
  path: '/-/v1/diff/page',
  input: query(
    object<DiffPageInput>({
      bucket: name,
      prefix: optional(name),
      from: moment,
      to: optional(moment),
      limit: optional(anyNumber),
      after: optional(text()),
    }),
    { from: momentForm, to: momentForm, limit: numberForm },
  ),
  output: objectWith<DiffPage>({
    from: position,
    to: position,
    entries: array<DiffEntry>(diffEntry),
    isTruncated: boolean,
    nextAfter: optional(text()),
  }),
  async run({ store, input: { from, to = store.seq, bucket, prefix, ...page }, signal }) {
    const scope = { bucket, ...(prefix !== undefined && { prefix }) }
    for await (const first of store.diff(scope, from, to, { ...page, signal }).pages()) return first
    throw new StorageError('InternalError', 'The comparison has no page.')
  },
})
