import type { AccessControlList, AclPermission } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import {
  accessControlElements,
  readAccessControlPolicy,
  resolveAccessControlPolicy,
} from '../acl/access-control-policy.ts'
import { xmlDocument } from '../xml/write.ts'
import { aclAllows, isPublicAcl, privateAcl } from './acl.ts'
import { anonymous } from '../policies/anonymous.ts'
import { type CannedAcl, cannedGrants } from './canned-acl.ts'
import { aclOfHeaders, resolveAcl } from '../acl/grant-headers.ts'
import { peopleOf } from './grantees.ts'
import { createIdentity } from './identity-schema.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secretsecret' }
const people = peopleOf([
  createIdentity({ ...keys, name: 'alice', id: 'A1', displayName: 'Alice', email: 'alice@example.com' }),
  createIdentity({ ...keys, name: 'bob', id: 'B2', displayName: 'Bob', email: 'Bob@example.com' }),
  createIdentity({ ...keys, name: 'carl', id: 'C3', email: 'team@example.com' }),
  createIdentity({ ...keys, name: 'dora', id: 'D4', email: 'Team@example.com' }),
])
const owners = { owner: 'A1', bucketOwner: 'B2' }
const all = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP'] as const

/** What somebody may by a list, in short. */
const rights = (acl: AccessControlList, id: string | undefined, ignoresPublic = false): string =>
  all.filter((permission) => aclAllows(acl, permission, { id, ignoresPublic })).join(' ')

function refusal(act: () => unknown) {
  try {
    act()
  } catch (error) {
    if (isS3Error(error)) return { code: error.code, ...error.details }
    throw error
  }
  return { code: 'accepted' }
}

const everything = all.join(' ')

describe('access control lists', () => {
  it.each([
    ['private', everything, '', '', ''],
    ['public-read', everything, 'READ', 'READ', 'READ'],
    ['public-read-write', everything, 'READ WRITE', 'READ WRITE', 'READ WRITE'],
    ['authenticated-read', everything, 'READ', 'READ', ''],
    ['aws-exec-read', everything, '', '', ''],
    ['bucket-owner-read', everything, 'READ', '', ''],
    ['bucket-owner-full-control', everything, everything, '', ''],
    ['log-delivery-write', everything, '', '', ''],
  ] satisfies readonly [CannedAcl, string, string, string, string][])(
    '%s: rights of the owner, the bucket’s owner, another user and the anonymous user',
    (word, ...expected) => {
      const acl = cannedGrants(word, owners)
      expect(['A1', 'B2', 'C3', undefined].map((id) => rights(acl, id))).toEqual(expected)
    },
  )

  it('have no second grant where the bucket’s owner is the same', () => {
    for (const word of ['bucket-owner-read', 'bucket-owner-full-control'] as const) {
      expect(cannedGrants(word, { owner: 'A1', bucketOwner: 'A1' }).grants).toHaveLength(1)
    }
  })

  it('can always be read and written by their owner, and nothing else without a grant', () => {
    expect(rights({ owner: 'A1', grants: [] }, 'A1')).toBe('READ_ACP WRITE_ACP')
    expect(rights({ owner: 'A1', grants: [] }, undefined)).toBe('')
  })

  it('treat requests without credentials as the anonymous user, who owns what they wrote', () => {
    const acl = privateAcl(anonymous.id)
    expect([rights(acl, undefined), rights(acl, 'C3')]).toEqual([everything, ''])
    expect(rights({ owner: anonymous.id, grants: [] }, undefined)).toBe('READ_ACP WRITE_ACP')
    expect(rights(acl, undefined, true)).toBe('')
  })

  it('count for nothing as far as they are public, where that is ignored', () => {
    const acl = cannedGrants('public-read-write', owners)
    expect([rights(acl, 'C3', true), rights(acl, undefined, true), rights(acl, 'A1', true)]).toEqual([
      '',
      '',
      everything,
    ])
    expect(isPublicAcl(acl)).toBe(true)
    expect(isPublicAcl(cannedGrants('authenticated-read', owners))).toBe(true)
    expect(isPublicAcl(cannedGrants('log-delivery-write', owners))).toBe(false)
  })
})

const ofHeaders = (...raw: string[]) => {
  const requested = aclOfHeaders(createRequestHeaders(raw))
  return requested && resolveAcl(requested, owners, people)
}
const fake = 'http://acs.amazonaws.com/groups/s3/FakeGroup'
const everybody = 'http://acs.amazonaws.com/groups/global/AllUsers'

describe('lists in headers', () => {
  it('are not there when no header is', () => expect(ofHeaders('x-amz-meta-acl', 'private')).toBeUndefined())

  it('are one word, or grants of each permission', () => {
    expect(ofHeaders('x-amz-acl', 'public-read')).toEqual(cannedGrants('public-read', owners))
    const grants = ofHeaders(
      'X-Amz-Grant-Read',
      `uri="${everybody}", id="B2"`,
      'x-amz-grant-full-control',
      'emailAddress=alice@example.com',
    )
    expect(grants).toEqual({
      owner: 'A1',
      grants: [
        { grantee: { group: 'AllUsers' }, permission: 'READ' },
        { grantee: { id: 'B2' }, permission: 'READ' },
        { grantee: { id: 'A1' }, permission: 'FULL_CONTROL' },
      ],
    })
  })

  it.each([
    [
      'a word there is not',
      ['x-amz-acl', 'fake-acl'],
      { code: 'InvalidArgument', ArgumentName: 'x-amz-acl', ArgumentValue: 'fake-acl' },
    ],
    [
      'a word in another case',
      ['x-amz-acl', 'Private'],
      { code: 'InvalidArgument', ArgumentName: 'x-amz-acl', ArgumentValue: 'Private' },
    ],
    [
      'a group there is not',
      ['x-amz-grant-write', `uri="${fake}"`],
      { code: 'InvalidArgument', ArgumentName: 'uri', ArgumentValue: fake },
    ],
    [
      'somebody named in no known way',
      ['x-amz-grant-write', 'fakekey="1234"'],
      { code: 'InvalidArgument', ArgumentName: 'x-amz-grant-write', ArgumentValue: 'fakekey="1234"' },
    ],
    [
      'an unknown id',
      ['x-amz-grant-write', 'id="wrong-id"'],
      { code: 'InvalidArgument', ArgumentName: 'id', ArgumentValue: 'wrong-id' },
    ],
    [
      'an unknown address',
      ['x-amz-grant-read', 'emailAddress="x@y.example"'],
      { code: 'UnresolvableGrantByEmailAddress', emailAddress: 'x@y.example' },
    ],
    [
      'an address of two identities',
      ['x-amz-grant-read', 'emailAddress="TEAM@example.com"'],
      { code: 'AmbiguousGrantByEmailAddress', emailAddress: 'TEAM@example.com' },
    ],
    ['both kinds', ['x-amz-acl', 'private', 'x-amz-grant-read', `uri="${everybody}"`], { code: 'InvalidRequest' }],
  ])('are refused with %s', (_, raw, expected) => {
    expect(refusal(() => ofHeaders(...raw))).toEqual(expected)
  })
})

const grantee = (type: string | undefined, inside: string) =>
  `<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"${type === undefined ? '' : ` xsi:type="${type}"`}>${inside}</Grantee>`
const grant = (to: string, permission = 'READ') => `<Grant>${to}<Permission>${permission}</Permission></Grant>`
const policy = (grants: string, owner = '<Owner><ID>A1</ID></Owner>') =>
  Buffer.from(
    `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${owner}<AccessControlList>${grants}</AccessControlList></AccessControlPolicy>`,
  )
const read = (bytes: Uint8Array) =>
  resolveAccessControlPolicy(readAccessControlPolicy(bytes), { owner: 'A1', known: ['Z9'], people })
const toLogs = grantee('Group', '<URI>http://acs.amazonaws.com/groups/s3/LogDelivery</URI>')

describe('AccessControlPolicy', () => {
  it('is read, whether its types are named or not', () => {
    const email = grantee('AmazonCustomerByEmail', '<EmailAddress>bob@example.com</EmailAddress>')
    const body = policy(
      grant(toLogs, 'WRITE') +
        grant(grantee(undefined, '<ID>B2</ID>')) +
        grant(email) +
        grant(grantee('CanonicalUser', '<ID>Z9</ID>')),
    )
    expect(read(body).grants).toEqual([
      { grantee: { group: 'LogDelivery' }, permission: 'WRITE' },
      { grantee: { id: 'B2' }, permission: 'READ' },
      { grantee: { id: 'B2' }, permission: 'READ' },
      { grantee: { id: 'Z9' }, permission: 'READ' },
    ])
    expect(read(policy('')).grants).toEqual([])
  })

  it.each([
    ['no owner', policy(grant(toLogs), ''), { code: 'MalformedACLError' }],
    ['a permission there is not', policy(grant(toLogs, 'WRONG')), { code: 'MalformedACLError' }],
    [
      'an owner there is not',
      policy(grant(toLogs), '<Owner><ID>wrong-id</ID></Owner>'),
      { code: 'InvalidArgument', ArgumentName: 'CanonicalUser/ID', ArgumentValue: 'wrong-id' },
    ],
    ['another owner', policy(grant(toLogs), '<Owner><ID>B2</ID></Owner>'), { code: 'AccessDenied' }],
    [
      'a group there is not',
      policy(grant(grantee('Group', `<URI>${fake}</URI>`))),
      { code: 'InvalidArgument', ArgumentName: 'Group/URI', ArgumentValue: fake },
    ],
    [
      'an unknown id',
      policy(grant(grantee('CanonicalUser', '<ID>wrong-id</ID>'))),
      { code: 'InvalidArgument', ArgumentName: 'CanonicalUser/ID', ArgumentValue: 'wrong-id' },
    ],
    ['a type there is not', policy(grant(grantee('BadType', '<ID>A1</ID>'))), { code: 'MalformedACLError' }],
    ['a type that is not meant', policy(grant(grantee('Group', '<ID>A1</ID>'))), { code: 'MalformedACLError' }],
    ['nothing in it', Buffer.from('<AccessControlPolicy/>'), { code: 'MalformedACLError' }],
    ['no XML', Buffer.from('private'), { code: 'MalformedACLError' }],
    ['more than a hundred grants', policy(grant(toLogs).repeat(101)), { code: 'MalformedACLError' }],
  ])('is refused with %s', (_, body, expected) => {
    expect(refusal(() => read(body))).toEqual(expected)
  })

  it('is written with the grants of the owner first, and reads back as it was', () => {
    const own = cannedGrants('private', owners).grants
    const acl = { owner: 'A1', grants: [...ofGroup('READ'), ...own] }
    const elements = accessControlElements(acl, people.nameOf({ id: 'Z9', name: 'Zoë' }))
    const text = xmlDocument('AccessControlPolicy', '', elements)
    expect(text).toContain(
      '<AccessControlList><Grant><Grantee ' +
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>A1</ID>',
    )
    expect(read(Buffer.from(text)).grants).toEqual([...own, ...ofGroup('READ')])
  })
})

const ofGroup = (permission: AclPermission) => [{ grantee: { group: 'AllUsers' as const }, permission }]
