/** The binary forms of annotations: see docs/format.md. The order of words is part of them. */
import { Mismatch } from '../schema/schema.ts'
import type { Codec } from '../codec/codec.ts'
import { Malformed } from '../codec/record-reader.ts'
import { count, literal, text } from '../codec/scalars.ts'
import { fieldsOf, list, struct } from '../codec/structures.ts'
import type { AccessControlList, AclGroup, AclPermission, Grant, Grantee } from '../settings/access-control.ts'
import type { AnnotationKind, AnnotationValues } from '../settings/annotation.ts'
import type { Retention, RetentionMode } from '../settings/object-lock.ts'
import type { Tag } from '../settings/tags.ts'

const group = literal<AclGroup>('AllUsers', 'AuthenticatedUsers', 'LogDelivery')

/** An account is known by its id, a group by its name. */
const grantee: Codec<Grantee> = {
  write(to, value) {
    const fields = fieldsOf(value)
    const id = fields['id']
    const name = id === undefined ? fields['group'] : undefined
    if (id === undefined && name === undefined) throw new Mismatch('must have an id or a group')
    to.byte(id === undefined ? 1 : 0)
    if (id === undefined) group.write(to, name as AclGroup)
    else text.write(to, id as string)
  },
  read(from) {
    switch (from.byte()) {
      case 0:
        return { id: from.text() }
      case 1:
        return { group: group.read(from) }
      default:
        throw new Malformed('an unknown kind')
    }
  },
}

const grant = struct<Grant>({
  grantee,
  permission: literal<AclPermission>('FULL_CONTROL', 'READ', 'READ_ACP', 'WRITE', 'WRITE_ACP'),
})

export const annotationForms: { readonly [K in AnnotationKind]: Codec<AnnotationValues[K]> } = {
  tags: list(struct<Tag>({ key: text, value: text })),
  acl: struct<AccessControlList>({ owner: text, grants: list(grant) }),
  retention: struct<Retention>({ mode: literal<RetentionMode>('COMPLIANCE', 'GOVERNANCE'), until: count }),
  legalHold: literal('ON', 'OFF'),
}
