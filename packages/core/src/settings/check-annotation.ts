/** What may be said of a version, and when what was said may be taken back. */
import type { BucketRow } from '../views/rows.ts'
import type { Annotation, Annotations } from './annotation.ts'

export interface AnnotationCircumstances {
  readonly bucket: BucketRow
  /** What holds so far. */
  readonly said: Annotations
  readonly bypassGovernance: boolean
  /** Now: milliseconds since the epoch. */
  readonly at: number
}

export function checkAnnotation(_annotation: Annotation, _circumstances: AnnotationCircumstances): void {
  // The rules of Object Lock come here.
}
