/** The options of a write in the form that the log keeps. */
import { contentHeaderFields } from '../events/content-header-schemas.ts'
import { type ContentHeaders, type CreationFacts, creationFacts, type ObjectMetadata } from '../events/index.ts'
import type { Annotation } from '../settings/annotation.ts'
import { checkObjectTags, sortedTags } from '../settings/check-tags.ts'
import { checkStorageClass } from '../settings/storage-class.ts'
import type { CreationOptions, MetadataOptions } from '../api/types/index.ts'

/**
 * Leaves out default values: no tags, the class STANDARD. Checks the options before any byte is read. The requested
 * encryption may contain a key, so it is left out too: `createdFacts` adds the resulting encryption.
 * @throws StorageError `InvalidTag`, `InvalidStorageClass`.
 */
export function creationOf({ tags = [], acl, retention, legalHold, storageClass }: CreationOptions): CreationFacts {
  checkObjectTags(tags)
  if (storageClass !== undefined) checkStorageClass(storageClass)
  return creationFacts({
    tags: tags.length > 0 ? sortedTags(tags) : undefined,
    acl,
    retention,
    legalHold,
    storageClass: storageClass === 'STANDARD' ? undefined : storageClass,
  })
}

/** Treats an empty list of tags as no tags. */
export function annotationOf(annotation: Annotation): Annotation {
  if (annotation.kind !== 'tags' || annotation.value === undefined) return annotation
  const value = sortedTags(annotation.value)
  return value.length === 0 ? { kind: 'tags' } : { kind: 'tags', value }
}

/** Metadata in the form of the log: absent fields stay absent, names of user metadata are in lower case. */
export function objectMetadata(options: MetadataOptions): ObjectMetadata {
  const { metadata = {} } = options
  const user = Object.keys(metadata).map((name) => [name.toLowerCase(), metadata[name] as string] as const)
  return { user, ...contentHeaders(options) }
}

const headerNames = Object.keys(contentHeaderFields) as readonly (keyof ContentHeaders)[]

/** Assigns each header, because spreading seven optional fields takes longer than the rest of a small put's options. */
function contentHeaders(options: ContentHeaders): ContentHeaders {
  const headers: { -readonly [K in keyof ContentHeaders]: ContentHeaders[K] } = {}
  for (const name of headerNames) {
    const value = options[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}
