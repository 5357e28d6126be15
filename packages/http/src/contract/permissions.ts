/** The permissions of a row, computed from the table of permissions and the subject of the request. */

import type { PolicyAction } from '../policies/actions.ts'
import type { Permission, PermissionRequest } from '../policies/permission.ts'
import type { PermissionRule, Trigger } from '../policies/permission-rule.ts'
import { type OperationName, permissionRules } from '../access/permission-table.ts'
import { accessDenied } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { ServiceContext, Subject } from './operation.ts'

/** The permissions of a row that can be decided before the operation begins. */
export function permissionsOf(
  name: OperationName,
): (subject: Subject, request: PermissionRequest) => readonly Permission[] {
  const rules = permissionRules(name)
    .filter(
      ({ when, without, resource }) =>
        without === undefined && resource !== 'each key' && (when === undefined || 'headers' in when),
    )
    .map(prepare)
  return (subject, { headers, query }) => {
    const needed: Permission[] = []
    for (const { when, make } of rules) {
      if (when === undefined || isTriggered(when, headers)) needed.push(make(subject, query))
    }
    return needed
  }
}

/** The actions that each key in a body needs. */
export const eachKeyActions = (name: OperationName): readonly PolicyAction[] =>
  permissionRules(name)
    .filter(({ resource, when }) => resource === 'each key' && when === undefined)
    .flatMap(({ action, ofVersion = action }) => [action, ofVersion])

/**
 * The permissions that an operation checks itself: those that depend on its body, source or object, and those for each
 * key in a body.
 */
export function laterPermissions(
  name: OperationName,
  subject: Subject,
  isMeant: (when: Trigger | undefined) => boolean,
): readonly Permission[] {
  return permissionRules(name)
    .filter(({ when }) => isMeant(when))
    .map((rule) => prepare(rule).make(subject))
}

/**
 * Authorises the request again with values from the body, by condition key in lower case.
 * @throws S3Error `AccessDenied`
 */
export async function checkWithBody(
  name: OperationName,
  context: ServiceContext,
  values: NonNullable<Permission['values']>,
): Promise<void> {
  for (const rule of permissionRules(name)) {
    if (rule.body === undefined) continue
    const { awaits: _, ...permission } = prepare(rule).make(context)
    if (!(await context.allows({ ...permission, values }))) throw accessDenied()
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

interface PreparedRule {
  readonly when: Trigger | undefined
  make(subject: Subject, query?: QueryParams): Permission
}

const prepared = new WeakMap<PermissionRule, PreparedRule>()

/** Computes the parts of a rule that are the same for all requests, once. */
function prepare(rule: PermissionRule): PreparedRule {
  const known = prepared.get(rule) ?? preparedRule(rule)
  prepared.set(rule, known)
  return known
}

function preparedRule({ action, ofVersion = action, resource, when, ...rule }: PermissionRule): PreparedRule {
  const { creates, creation, body, query: names } = rule
  const shared = {
    ...(creation !== undefined && { values: creations[`${creation}`] }),
    ...(creates !== undefined && { creates }),
    ...(body !== undefined && { awaits: body }),
  }
  const parametersOf = names === undefined ? undefined : parameterReader(names)
  return {
    when,
    make(subject, query) {
      const place = placeOf(resource, subject)
      const named = place.versionId === undefined ? action : ofVersion
      const values = query && parametersOf?.(query)
      return values === undefined
        ? { action: named, ...place, ...shared }
        : { action: named, ...place, ...shared, values }
    },
  }
}

type Place = Pick<Subject, 'bucket' | 'key' | 'versionId' | 'at'>

function placeOf(resource: PermissionRule['resource'], subject: Subject): Place {
  switch (resource) {
    case 'service':
      return {}
    case 'bucket':
      return bucketIn(subject)
    case 'source':
      return subject.source === undefined ? {} : objectIn(subject.source)
    case 'source of the fork':
      return subject.forkSource === undefined ? {} : bucketIn(subject.forkSource)
    case 'object':
    case 'each key':
      return objectIn(subject)
  }
}

/** Written without spreads: spreading optional values takes several times as long, and this runs for every request. */
function objectIn(subject: Subject): Place {
  const { bucket, key, versionId, at } = subject
  if (bucket === undefined || key === undefined) return bucketIn(subject)
  if (at !== undefined) return versionId === undefined ? { bucket, key, at } : { bucket, key, versionId, at }
  return versionId === undefined ? { bucket, key } : { bucket, key, versionId }
}

function bucketIn({ bucket, at }: Subject): Place {
  if (bucket === undefined) return {}
  return at === undefined ? { bucket } : { bucket, at }
}

const creations = {
  true: { 's3:objectcreationoperation': ['true'] },
  false: { 's3:objectcreationoperation': ['false'] },
} as const

function parameterReader(names: NonNullable<PermissionRule['query']>): (query: QueryParams) => Permission['values'] {
  const pairs = Object.entries(names)
  return (query) => {
    let found: Record<string, readonly string[]> | undefined
    for (const [name, key] of pairs) {
      const value = query.get(name)
      if (value !== undefined) (found ??= {})[key] = [value]
    }
    return found
  }
}
