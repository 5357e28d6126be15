import { describe, expect, it } from 'vitest'
import { conditionKey } from '../policies/condition-key.ts'
import { isConditionKey } from '../policies/condition-keys.ts'
import { hasConditionKey } from '../policies/action-keys.ts'
import type { PermissionRule } from '../policies/permission-rule.ts'
import { type OperationName, permissionRules, permissionTable } from '../access/permission-table.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { permissionsOf } from './permissions.ts'
import { operations } from '../operations/table.ts'

const subject = { bucket: 'b', key: 'k', source: { bucket: 's', key: 'sk' } }
const requested = (name: OperationName, headers: Readonly<Record<string, string>> = {}, query = '') =>
  permissionsOf(name)(subject, {
    headers: createRequestHeaders(Object.entries(headers).flat()),
    query: parseQuery(query),
  })
const actions = (name: OperationName, headers: Readonly<Record<string, string>> = {}) =>
  requested(name, headers).map(({ action }) => action.slice('s3:'.length))

const rules = (Object.keys(permissionTable) as OperationName[]).flatMap((name) =>
  permissionRules(name).map((rule): readonly [OperationName, PermissionRule] => [name, rule]),
)

describe('the table of permissions', () => {
  it('has every operation that is built, and no other', () => {
    const built = operations.filter(({ handler }) => handler !== undefined).map(({ name }) => name)
    expect(Object.keys(permissionTable).sort()).toEqual(built.sort())
  })

  it('has the permissions of every operation', () => {
    for (const row of operations) {
      if (row.handler === undefined) continue
      const request = { headers: createRequestHeaders([]), query: parseQuery('') }
      const always = permissionRules(row.name as OperationName).filter(
        ({ when, resource }) => when === undefined && resource !== 'each key',
      )
      expect([row.name, row.permissions(subject, request).map(({ action }) => action)]).toEqual([
        row.name,
        always.map(({ action }) => action),
      ])
    }
  })

  it('requires a permission for every request, except for keys that a body names', () => {
    for (const name of Object.keys(permissionTable) as OperationName[]) {
      expect([name, requested(name).length > 0]).toEqual([name, name !== 'DeleteObjects'])
    }
  })

  it('names only keys of conditions that there are, and that the action has', () => {
    for (const [name, { action, ofVersion, body = [], query = {} }] of rules) {
      for (const key of [...body, ...Object.values(query)]) {
        const known = key === 's3:requestobjecttag' ? `${key}/a` : key
        expect([name, known, isConditionKey(conditionKey(known))]).toEqual([name, known, true])
        for (const one of [action, ofVersion ?? action]) expect([one, key, hasConditionKey(one, key)]).toContain(true)
      }
    }
  })

  const acl = { 'x-amz-acl': 'private' }
  const written: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [acl, 'PutObjectAcl'],
    [{ 'x-amz-grant-read': 'id=a' }, 'PutObjectAcl'],
    [{ 'x-svc-grant-full-control': 'id=a' }, 'PutObjectAcl'],
    [{ 'x-amz-tagging': 'a=b' }, 'PutObjectTagging'],
    [{ 'x-amz-object-lock-mode': 'GOVERNANCE' }, 'PutObjectRetention'],
    [{ 'x-amz-object-lock-retain-until-date': 'x' }, 'PutObjectRetention'],
    [{ 'x-amz-object-lock-legal-hold': 'OFF' }, 'PutObjectLegalHold'],
  ]
  it.each(written)('a write with %o needs s3:%s', (headers, action) => {
    for (const name of ['PutObject', 'CopyObject', 'PostObject', 'CreateMultipartUpload'] as const) {
      expect(actions(name)).not.toContain(action)
      expect(actions(name, headers)).toEqual([...actions(name), action])
    }
  })

  it('empty tags and a storage class need no permission', () => {
    expect(actions('PutObject', { 'x-amz-tagging': '', 'x-amz-storage-class': 'GLACIER' })).toEqual(['PutObject'])
  })

  it.each([
    [{ 'x-amz-acl': 'public-read' }, ['PutBucketAcl']],
    [{ 'x-amz-acl': 'private' }, []],
    [{ 'x-amz-grant-write': 'id=a' }, ['PutBucketAcl']],
    [{ 'x-amz-object-ownership': 'ObjectWriter' }, ['PutBucketOwnershipControls']],
    [{ 'x-amz-bucket-object-lock-enabled': 'true' }, ['PutBucketObjectLockConfiguration', 'PutBucketVersioning']],
    [{ 'x-amz-bucket-object-lock-enabled': 'false' }, []],
  ])('CreateBucket with %o needs %j as well', (headers, more) => {
    expect(actions('CreateBucket', headers as Readonly<Record<string, string>>)).toEqual(['CreateBucket', ...more])
  })

  it('comparing an ETag needs permission to read the object, checking for any object does not', () => {
    for (const name of ['PutObject', 'PostObject', 'CopyObject', 'CompleteMultipartUpload'] as const) {
      expect(requested(name, { 'if-match': 'x' })).toContainEqual({ action: 's3:GetObject', bucket: 'b', key: 'k' })
      expect(actions(name, { 'if-none-match': '*' })).toEqual(actions(name))
    }
    expect(actions('DeleteObject', { 'if-match': '"x"' })).toEqual(['DeleteObject', 'GetObject'])
    expect(actions('DeleteObject', { 'if-match': '*' })).toEqual(['DeleteObject'])
    const named = permissionsOf('DeleteObject')(
      { ...subject, versionId: 'v' },
      { headers: createRequestHeaders(['if-match', 'x']), query: parseQuery('') },
    )
    expect(named.map(({ action, versionId }) => [action, versionId])).toEqual([
      ['s3:DeleteObjectVersion', 'v'],
      ['s3:GetObjectVersion', 'v'],
    ])
  })

  it('has condition values from the parameters of listings, and of no other operation', () => {
    const query = 'prefix=a&delimiter=/&max-keys=2'
    const values = { 's3:prefix': ['a'], 's3:delimiter': ['/'], 's3:max-keys': ['2'] }
    expect(requested('ListObjects', {}, query)).toEqual([{ action: 's3:ListBucket', bucket: 'b', values }])
    expect(requested('HeadBucket', {}, query)).toEqual([{ action: 's3:ListBucket', bucket: 'b' }])
    expect(requested('GetObject', {}, query)).toEqual([{ action: 's3:GetObject', bucket: 'b', key: 'k' }])
  })
})
