/** What rows ask for, made from the table of permissions and from what the handler will act on. */

import type { Permission, PermissionRequest } from '../access/permission.ts'
import type { PermissionRule, Trigger } from '../access/permission-rule.ts'
import { type OperationName, permissionRules } from '../access/permission-table.ts'
import { S3Error } from '../errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { ServiceContext, Subject } from './operation.ts'

/** Of a row: all that can be judged before the operation begins. */
export function permissionsOf(
  name: OperationName,
): (subject: Subject, request: PermissionRequest) => readonly Permission[] {
  const rules = permissionRules(name).filter(
    ({ when, without, resource }) =>
      without === undefined && resource !== 'each key' && (when === undefined || 'headers' in when),
  )
  return (subject, request) =>
    rules
      .filter(({ when }) => when === undefined || isTriggered(when, request.headers))
      .map((rule) => permissionOf(rule, subject, request.query))
}

/** What an operation judges by itself: for what its body, its source or its object turns out to be, and for each key of a body. */
export function laterPermissions(
  name: OperationName,
  subject: Subject,
  isMeant: (when: Trigger | undefined) => boolean,
): readonly Permission[] {
  return permissionRules(name)
    .filter(({ when }) => isMeant(when))
    .map((rule) => permissionOf(rule, subject))
}

/**
 * Judges again what the body has something to say of, now that it is read: values under keys of conditions, in lower case.
 * @throws S3Error `AccessDenied`
 */
export async function checkWithBody(
  name: OperationName,
  context: ServiceContext,
  values: NonNullable<Permission['values']>,
): Promise<void> {
  for (const rule of permissionRules(name)) {
    if (rule.body === undefined) continue
    const { awaits: _, ...permission } = permissionOf(rule, context)
    if (!(await context.allows({ ...permission, values }))) throw new S3Error('AccessDenied', 'Access Denied')
  }
}

function isTriggered(when: Trigger, headers: RequestHeaders): boolean {
  if (!('headers' in when)) return false
  const { except, only } = when
  return when.headers.some((name) => {
    if (!headers.has(name)) return false
    if (except === undefined && only === undefined) return true
    const value = (headers.get(name) ?? '').trim().toLowerCase()
    return only === undefined ? except?.includes(value) !== true : only.includes(value)
  })
}

function permissionOf(rule: PermissionRule, subject: Subject, query?: QueryParams): Permission {
  const { action, ofVersion, resource, creates, creation, body } = rule
  const { bucket, key, versionId } = placeOf(resource, subject)
  const values = rule.query === undefined ? creationValues(creation) : parameters(rule.query, query)
  return {
    action: versionId !== undefined && ofVersion !== undefined ? ofVersion : action,
    ...(bucket !== undefined && { bucket }),
    ...(key !== undefined && { key }),
    ...(versionId !== undefined && { versionId }),
    ...(values !== undefined && { values }),
    ...(creates !== undefined && { creates }),
    ...(body !== undefined && { awaits: body }),
  }
}

function placeOf(
  resource: PermissionRule['resource'],
  subject: Subject,
): Pick<Subject, 'bucket' | 'key' | 'versionId'> {
  const { bucket, source = {} } = subject
  switch (resource) {
    case 'service':
      return {}
    case 'bucket':
      return bucket === undefined ? {} : { bucket }
    case 'source':
      return source
    case 'object':
    case 'each key':
      return subject
  }
}

const creations = {
  true: { 's3:objectcreationoperation': ['true'] },
  false: { 's3:objectcreationoperation': ['false'] },
} as const

const creationValues = (creation: boolean | undefined): Permission['values'] =>
  creation === undefined ? undefined : creations[`${creation}`]

function parameters(names: NonNullable<PermissionRule['query']>, query: QueryParams | undefined): Permission['values'] {
  const found = Object.entries(names).flatMap(([name, key]) => {
    const value = query?.get(name)
    return value === undefined ? [] : [[key, [value]] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}
