/** The schemas of annotations, and of settings that share their types. */
import { literal, number, text } from '../schema/scalars.ts'
import type { Schema } from '../schema/schema.ts'
import { array, byField, object, optional, tagged } from '../schema/structures.ts'
import type { AccessControlList, AclGroup, AclPermission, Grant, Grantee } from './access-control.ts'
import type { Annotation, AnnotationKind, AnnotationValues } from './annotation.ts'
import type { Retention, RetentionMode } from './object-lock.ts'
import type { Tag } from './tags.ts'

export const tags = array(object<Tag>({ key: text(), value: text() }))

const grantee: Schema<Grantee> = byField<Grantee>({
  id: object<{ readonly id: string }>({ id: text() }),
  group: object<{ readonly group: AclGroup }>({ group: literal('AllUsers', 'AuthenticatedUsers', 'LogDelivery') }),
})
const permission: Schema<AclPermission> = literal('FULL_CONTROL', 'READ', 'READ_ACP', 'WRITE', 'WRITE_ACP')

export const grants = array(object<Grant>({ grantee, permission }))
export const acl = object<AccessControlList>({ owner: text(), grants })

export const retentionMode: Schema<RetentionMode> = literal('COMPLIANCE', 'GOVERNANCE')
/** `checkRetention` checks `until`. */
export const retention = object<Retention>({ mode: retentionMode, until: number })

export const annotationValues: { readonly [K in AnnotationKind]: Schema<AnnotationValues[K]> } = {
  tags,
  acl,
  retention,
  legalHold: literal('ON', 'OFF'),
}

const ofKind = <K extends AnnotationKind>(kind: K, value: Schema<AnnotationValues[K]>) =>
  object<{ readonly kind: K; readonly value?: AnnotationValues[K] }>({
    kind: literal(kind),
    value: optional(value),
  } as never)

export const annotation: Schema<Annotation> = tagged<Annotation, 'kind'>('kind', {
  tags: ofKind('tags', annotationValues.tags),
  acl: ofKind('acl', annotationValues.acl),
  retention: ofKind('retention', annotationValues.retention),
  legalHold: ofKind('legalHold', annotationValues.legalHold),
})
