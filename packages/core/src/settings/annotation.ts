/** Annotations: tags, ACLs and locks that are added to a version after it was written. */
import type { AccessControlList } from './access-control.ts'
import type { Retention } from './object-lock.ts'
import type { Tag } from './tags.ts'

/** The annotations of a version, by kind. */
export interface AnnotationValues {
  readonly tags: readonly Tag[]
  readonly acl: AccessControlList
  readonly retention: Retention
  readonly legalHold: 'ON' | 'OFF'
}

/** The kind of an annotation. */
export type AnnotationKind = keyof AnnotationValues

/** Each field is absent until it is set. */
export type Annotations = Partial<AnnotationValues>

/** A new value of an annotation of one kind; without a value, the annotation is removed. */
export type Annotation<K extends AnnotationKind = AnnotationKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly value?: AnnotationValues[Kind] }
}[K]

const eventTypes = {
  tags: 'ObjectTagsSet',
  acl: 'ObjectAclSet',
  retention: 'ObjectRetentionSet',
  legalHold: 'ObjectLegalHoldSet',
} as const satisfies Record<AnnotationKind, string>

export type AnnotationEventType<K extends AnnotationKind = AnnotationKind> = (typeof eventTypes)[K]

export const annotationEventType = (kind: AnnotationKind): AnnotationEventType => eventTypes[kind]

/** The kind of annotation that an event of this type sets. */
export const annotationKindOf = (type: AnnotationEventType): AnnotationKind => kindsByEvent.get(type) as AnnotationKind

const kindsByEvent: ReadonlyMap<string, AnnotationKind> = new Map(
  (Object.keys(eventTypes) as AnnotationKind[]).map((kind) => [eventTypes[kind], kind]),
)
