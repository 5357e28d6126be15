/**
 * The permissions of every built operation: which action it needs, on which resource, and which header, form field or
 * body element requires further permissions. Rows of `operations/table.ts` take their permissions from here, and
 * `docs/permissions.md` shows the table.
 */

import { bucketPermissions } from './bucket-permissions.ts'
import { objectPermissions } from './object-permissions.ts'
import type { PermissionRule } from '../policies/permission-rule.ts'

export const permissionTable = {
  ListBuckets: [{ action: 's3:ListAllMyBuckets', resource: 'service' }],
  ...bucketPermissions,
  ...objectPermissions,
} as const satisfies Readonly<Record<string, readonly PermissionRule[]>>

/** The name of a built operation. */
export type OperationName = keyof typeof permissionTable

export const permissionRules = (name: OperationName): readonly PermissionRule[] => permissionTable[name]
