import { isSameJson } from '../schema/same-json.ts'
import type { VersionRef } from '../commands/command.ts'
import { StorageError } from '../base/errors.ts'
import type { Event } from '../events/index.ts'
import { checkKey } from '../naming/names.ts'
import type { Seq } from '../ports/index.ts'
import { annotationsIn } from '../reads/annotations.ts'
import { findNewest, findVersion } from '../views/find-version.ts'
import { type Annotation, annotationEventType, type Annotations } from '../settings/annotation.ts'
import { checkAnnotation } from '../settings/check-annotation.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket, noSuchKey, noSuchVersion } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly target: VersionRow | undefined
  /** The current annotations of the version. */
  readonly annotations: Annotations
}

/**
 * Annotates a version without adding a version. An unchanged value causes no event.
 * @throws `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` for delete markers, and what `checkAnnotation`
 * throws.
 */
export const annotateObject: Rule<'AnnotateObject', State> = {
  async load(rows, { bucket: name, key, version }) {
    const bucket = await rows.get(bucketTable.key(name))
    const target = await findTarget(rows, name, key, version)
    if (bucket === undefined || target === undefined || target.deleteMarker) return { bucket, target, annotations: {} }
    return { bucket, target, annotations: await annotationsIn(rows, bucket, { bucket: name, key, row: target }) }
  },

  decide(
    { bucket, target, annotations },
    { bucket: name, key, version, annotation, bypassGovernance = false },
    _meta,
    time,
  ) {
    checkKey(key)
    if (bucket === undefined) throw noSuchBucket(name)
    const seq = checkTarget(target, key, version)
    checkAnnotation(annotation, { bucket, annotations, bypassGovernance, time })
    if (isSameJson(annotations[annotation.kind], annotation.value)) return []
    return [annotationEvent({ bucket: name, key, version: seq }, annotation)]
  },
}

function findTarget(rows: Rows, bucket: string, key: string, version: VersionRef | undefined) {
  return version === undefined ? findNewest(rows, bucket, key) : findVersion(rows, bucket, key, version)
}

function checkTarget(target: VersionRow | undefined, key: string, version: VersionRef | undefined): Seq {
  if (target === undefined) {
    if (version === undefined) throw noSuchKey(key)
    throw noSuchVersion(key)
  }
  if (!target.deleteMarker) return target.seq
  if (version === undefined) throw noSuchKey(key)
  throw new StorageError('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { ResourceType: 'DeleteMarker' },
  })
}

/** The kind determines the type of the event, which TypeScript cannot infer. */
const annotationEvent = (
  place: { readonly bucket: string; readonly key: string; readonly version: Seq },
  { kind, value }: Annotation,
): Event => ({ type: annotationEventType(kind), data: { ...place, ...(value !== undefined && { value }) } }) as Event
