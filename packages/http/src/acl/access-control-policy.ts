/** Reads and writes `AccessControlPolicy`, the ACL document of S3. */

import type { AccessControlList, AclPermission, Grant, Grantee } from '@varve/core'
import { groupUri } from '../access/acl-groups.ts'
import { granteeOf, type Named, type People } from '../access/grantees.ts'
import { accessDenied, isS3Error, S3Error } from '../errors/errors.ts'
import { readXml } from '../xml/read.ts'
import { list, object, type One, oneOf, optional, text, withType } from '../xml/schema.ts'
import { element, type Xml } from '../xml/write.ts'

const grantsMax = 100
const shortText = text({ max: 512 })

/** The list of grants in a document, each with one of the permissions. */
export const grantList = <P extends AclPermission>(permission: One<P>) =>
  list(
    object({
      Grantee: withType(
        object({
          ID: optional(shortText),
          DisplayName: optional(shortText),
          URI: optional(shortText),
          EmailAddress: optional(shortText),
        }),
      ),
      Permission: permission,
    }),
    { max: grantsMax },
  )

const schema = object({
  Owner: object({ ID: optional(shortText), DisplayName: optional(shortText) }),
  AccessControlList: object({
    Grant: grantList(oneOf('FULL_CONTROL', 'READ', 'READ_ACP', 'WRITE', 'WRITE_ACP')),
  }),
})

export interface AccessControlPolicyBody {
  /** The id of the owner, if the document names it. */
  readonly owner?: string
  readonly grants: readonly { readonly to: Named; readonly permission: AclPermission }[]
}

/** @throws S3Error `MalformedACLError` */
export function readAccessControlPolicy(bytes: Uint8Array): AccessControlPolicyBody {
  try {
    const { Owner, AccessControlList: lists } = readXml(bytes, 'AccessControlPolicy', schema)
    const grants = lists.Grant.map(namedGrant)
    return { ...(Owner.ID !== undefined && { owner: Owner.ID }), grants }
  } catch (error) {
    if (isS3Error(error, 'MalformedXML')) throw malformedAcl(error)
    throw error
  }
}

interface GrantBody<P extends AclPermission> {
  readonly Grantee: { readonly type: string | undefined; readonly value: GranteeBody }
  readonly Permission: P
}

/** @throws S3Error `MalformedACLError` without a grantee */
export const namedGrant = <P extends AclPermission>({ Grantee: { type, value }, Permission }: GrantBody<P>) => ({
  to: named(type, value),
  permission: Permission,
})

interface GranteeBody {
  readonly ID?: string
  readonly URI?: string
  readonly EmailAddress?: string
}

/** Accepts grantees without a type, by the elements that they contain. */
function named(type: string | undefined, { ID, URI, EmailAddress }: GranteeBody): Named {
  const isOf = (name: string) => type === undefined || type === name
  if (ID !== undefined && isOf('CanonicalUser')) return { by: 'id', value: ID, place: 'CanonicalUser/ID' }
  if (URI !== undefined && isOf('Group')) return { by: 'uri', value: URI, place: 'Group/URI' }
  if (EmailAddress !== undefined && isOf('AmazonCustomerByEmail')) {
    return { by: 'emailAddress', value: EmailAddress, place: 'AmazonCustomerByEmail/EmailAddress' }
  }
  throw malformedAcl()
}

function malformedAcl(cause?: unknown): S3Error {
  const message = 'The XML you provided was not well-formed or did not validate against our published schema'
  return new S3Error('MalformedACLError', message, { cause })
}

/**
 * @param known Ids that are accepted even if no identity has them any more.
 * @throws S3Error `InvalidArgument` and others for unknown grantees; `AccessDenied` for another owner
 */
export function resolveAccessControlPolicy(
  { owner: claimed, grants }: AccessControlPolicyBody,
  { owner, known, people }: { readonly owner: string; readonly known: readonly string[]; readonly people: People },
): AccessControlList {
  const ids = [owner, ...known]
  if (claimed !== undefined) granteeOf({ by: 'id', value: claimed, place: 'CanonicalUser/ID' }, people, ids)
  if (claimed !== undefined && claimed !== owner) throw accessDenied()
  return { owner, grants: grants.map(({ to, permission }) => ({ grantee: granteeOf(to, people, ids), permission })) }
}

/** The elements of an `AccessControlPolicy`. The owner's grants come first, as in S3; the others keep their order. */
export function accessControlElements(
  { owner, grants }: AccessControlList,
  nameOf: (id: string) => string | undefined,
): readonly Xml[] {
  const isOwners = ({ grantee }: Grant) => 'id' in grantee && grantee.id === owner
  const ordered = [...grants.filter(isOwners), ...grants.filter((grant) => !isOwners(grant))]
  return [
    element('Owner', personElements(owner, nameOf)),
    element(
      'AccessControlList',
      ordered.map((grant) => grantElement(grant, nameOf)),
    ),
  ]
}

export const grantElement = ({ grantee, permission }: Grant, nameOf: (id: string) => string | undefined): Xml =>
  element('Grant', [granteeElement(grantee, nameOf), element('Permission', permission)])

function granteeElement(grantee: Grantee, nameOf: (id: string) => string | undefined): Xml {
  const [type, content] =
    'id' in grantee
      ? (['CanonicalUser', personElements(grantee.id, nameOf)] as const)
      : (['Group', [element('URI', groupUri(grantee.group))]] as const)
  return element('Grantee', content, {
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:type': type,
  })
}

function personElements(id: string, nameOf: (id: string) => string | undefined): readonly Xml[] {
  const name = nameOf(id)
  return [element('ID', id), ...(name === undefined ? [] : [element('DisplayName', name)])]
}
