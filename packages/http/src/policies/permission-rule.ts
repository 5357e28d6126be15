/** One permission that an operation needs, as the table of permissions states it. */

import type { PolicyAction, S3Action } from './actions.ts'

/**
 * `source`: the object a copy reads. `source of the fork`: the bucket a new one begins as. `each key`: every object that
 * the body of DeleteObjects names.
 */
export type RuleResource = 'service' | 'bucket' | 'object' | 'source' | 'source of the fork' | 'each key'

/** The property of a request that makes it need a permission. */
export type Trigger =
  /** One of these headers or form fields, in lower case, unless its value is in `except`, or is missing from `only`. */
  | { readonly headers: readonly string[]; readonly except?: readonly string[]; readonly only?: readonly string[] }
  /** An element of the body. The operation decides it after reading the body. */
  | { readonly element: string }
  /** The source of a copy has tags, and they are copied. The operation decides it. */
  | { readonly copied: 'tags' }
  /** The object has such an annotation to show. The operation decides it. */
  | { readonly shown: 'tags' | 'retention' | 'legal hold' }

export interface PermissionRule {
  readonly action: PolicyAction
  /** Used instead of `action` for a request that names a version. */
  readonly ofVersion?: PolicyAction
  readonly resource: RuleResource
  /** Absent: the permission is always needed. */
  readonly when?: Trigger
  /** What happens to a request without the permission. @default it is refused with AccessDenied */
  readonly without?: 'header ignored' | 'header left out'
  /** The permission is part of creating the object. An ACL that allows writing to the bucket allows this too. */
  readonly creates?: true
  /** The value of `s3:ObjectCreationOperation`: whether the request creates the object by itself. */
  readonly creation?: boolean
  /** Condition keys with values from the body. If a policy names one, the operation checks again after reading it. */
  readonly body?: readonly string[]
  /** Condition keys whose values are query parameters, by parameter. */
  readonly query?: Readonly<Record<string, string>>
}

type Rules = readonly PermissionRule[]

export const onBucket = (action: S3Action): Rules => [{ action, resource: 'bucket' }]
export const onObject = (action: S3Action): Rules => [{ action, resource: 'object' }]
/** One action for the current object, and another for a version that is named by its id. Neither grants the other. */
export const onVersion = (action: S3Action, ofVersion: S3Action): Rules => [{ action, ofVersion, resource: 'object' }]

export const aclHeaderNames = [
  'x-amz-acl',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write',
  'x-amz-grant-write-acp',
] as const
