/** Checks whether a version may get an annotation, or lose it. */
import type { Annotation, Annotations } from './annotation.ts'
import { checkObjectTags } from './check-tags.ts'
import { checkLockable, checkRetention, checkRetentionChange } from './retention-rules.ts'

export interface AnnotationCircumstances {
  readonly bucket: Parameters<typeof checkLockable>[0]
  /** The current annotations of the version. */
  readonly annotations: Annotations
  readonly bypassGovernance: boolean
  /** In milliseconds since the epoch. */
  readonly time: {
    /** The time of the event. */
    readonly at: number
    /** The time that decides whether locks have ended. */
    readonly locks: number
  }
}

/**
 * @throws StorageError `InvalidTag`; `InvalidRequest` for a lock if the bucket has no Object Lock, `InvalidArgument`
 * for a retention that has ended, `AccessDenied` for a change that the current retention forbids.
 */
export function checkAnnotation(
  annotation: Annotation,
  { bucket, annotations, bypassGovernance, time }: AnnotationCircumstances,
): void {
  switch (annotation.kind) {
    case 'tags':
      return checkObjectTags(annotation.value ?? [])
    case 'retention':
      checkLockable(bucket)
      if (annotation.value !== undefined) checkRetention(annotation.value, time.at)
      return checkRetentionChange(annotations.retention, annotation.value, { bypassGovernance, locks: time.locks })
    case 'legalHold':
      return checkLockable(bucket)
    case 'acl':
      return
    default:
      annotation satisfies never
  }
}
