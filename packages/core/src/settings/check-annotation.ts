/** Which annotations a version may have, and when they may be removed. */
import type { Annotation, Annotations } from './annotation.ts'
import { checkObjectTags } from './check-tags.ts'
import { checkLockable, checkRetention, checkRetentionChange } from './retention-rules.ts'

export interface AnnotationCircumstances {
  readonly bucket: Parameters<typeof checkLockable>[0]
  /** What holds so far. */
  readonly annotations: Annotations
  readonly bypassGovernance: boolean
  /** Now: milliseconds since the epoch. */
  readonly at: number
  /** The time by which locks end. */
  readonly locks: number
}

/**
 * @throws StorageError `InvalidTag`; `InvalidRequest` for a lock where the bucket has none, `InvalidArgument` for a
 * retention that has ended, `AccessDenied` for one that what holds does not allow.
 */
export function checkAnnotation(
  annotation: Annotation,
  { bucket, annotations, ...circumstances }: AnnotationCircumstances,
): void {
  switch (annotation.kind) {
    case 'tags':
      return checkObjectTags(annotation.value ?? [])
    case 'retention':
      checkLockable(bucket)
      if (annotation.value !== undefined) checkRetention(annotation.value, circumstances.at)
      return checkRetentionChange(annotations.retention, annotation.value, circumstances)
    case 'legalHold':
      return checkLockable(bucket)
    case 'acl':
      return
    default:
      annotation satisfies never
  }
}
