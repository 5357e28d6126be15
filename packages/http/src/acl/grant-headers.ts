/** The headers that set an ACL: a canned ACL (`x-amz-acl`), or grants by permission (`x-amz-grant-…`). */

import type { AccessControlList, AclPermission, Grant } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { cannedAcl, type CannedAcl, cannedGrants } from '../access/canned-acl.ts'
import { granteeOf, type Named, type People } from '../access/grantees.ts'

const permissions = [
  ['x-amz-grant-read', 'READ'],
  ['x-amz-grant-write', 'WRITE'],
  ['x-amz-grant-read-acp', 'READ_ACP'],
  ['x-amz-grant-write-acp', 'WRITE_ACP'],
  ['x-amz-grant-full-control', 'FULL_CONTROL'],
] as const satisfies readonly (readonly [string, AclPermission])[]

const grantsMax = 100
/** `id="…"`, `uri="…"` or `emailAddress="…"`, quoted or not. */
const grantee = /^\s*(id|uri|emailAddress)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"',\s]+))\s*$/i

/** A requested ACL, before the owner of its object is known. */
export type RequestedAcl =
  | { readonly canned: CannedAcl }
  | { readonly grants: readonly { readonly to: Named; readonly permission: AclPermission }[] }

/** @throws S3Error `InvalidArgument`; `InvalidRequest` for both kinds at once */
export function aclOfHeaders(headers: RequestHeaders): RequestedAcl | undefined {
  const word = headers.single('x-amz-acl')
  const grants: { readonly to: Named; readonly permission: AclPermission }[] = []
  for (const [header, permission] of permissions) {
    for (const to of namedIn(headers, header)) grants.push({ to, permission })
  }
  if (word === undefined) return grants.length === 0 ? undefined : { grants: atMost(grants) }
  if (grants.length > 0) {
    throw new S3Error('InvalidRequest', 'Specifying both Canned ACLs and Header Grants is not allowed')
  }
  const canned = cannedAcl(word)
  if (canned === undefined) throw invalid('The canned ACL is not one there is.', 'x-amz-acl', word)
  return { canned }
}

const noGrantees: readonly Named[] = []

function namedIn(headers: RequestHeaders, header: string): readonly Named[] {
  const value = headers.get(header)
  if (value === undefined) return noGrantees
  return value.split(',').map((text) => {
    const [, by = '', ...values] = grantee.exec(text) ?? []
    const named = values.find((one) => one !== undefined)
    if (named === undefined) throw invalid('Argument format not recognized', header, value)
    const kind = by.toLowerCase()
    if (kind === 'id') return { by: 'id', value: named, place: 'id' }
    return kind === 'uri'
      ? { by: 'uri', value: named, place: 'uri' }
      : { by: 'emailAddress', value: named, place: 'emailAddress' }
  })
}

function atMost<T>(grants: readonly T[]): readonly T[] {
  if (grants.length <= grantsMax) return grants
  throw new S3Error('InvalidRequest', `An access control list has at most ${grantsMax} grants.`)
}

/** The owners of the object and of its bucket. */
export interface Owners {
  readonly owner: string
  readonly bucketOwner: string
}

/** @throws S3Error for unknown grantees */
export function resolveAcl(requested: RequestedAcl, owners: Owners, people: People): AccessControlList {
  if ('canned' in requested) return cannedGrants(requested.canned, owners)
  const { owner, bucketOwner } = owners
  const grants: readonly Grant[] = requested.grants.map(({ to, permission }) => ({
    grantee: granteeOf(to, people, [owner, bucketOwner]),
    permission,
  }))
  return { owner, grants }
}

function invalid(message: string, name: string, value: string): S3Error {
  return new S3Error('InvalidArgument', message, { details: { ArgumentName: name, ArgumentValue: value } })
}
