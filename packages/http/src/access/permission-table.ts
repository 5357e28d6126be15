/**
 * The permissions of every operation that is built: which action it needs, on which resource, and which header, field of a form
 * or element of a body makes it need more. Rows of `operations/table.ts` take their permissions from here; `docs/permissions.md` shows it.
 */

import { bucketPermissions } from './bucket-permissions.ts'
import { objectPermissions } from './object-permissions.ts'
import type { PermissionRule } from '../policies/permission-rule.ts'

export const permissionTable = {
  ListBuckets: [{ action: 's3:ListAllMyBuckets', resource: 'service' }],
  ...bucketPermissions,
  ...objectPermissions,
} as const satisfies Readonly<Record<string, readonly PermissionRule[]>>

/** An operation that is built. */
export type OperationName = keyof typeof permissionTable

export const permissionRules = (name: OperationName): readonly PermissionRule[] => permissionTable[name]
