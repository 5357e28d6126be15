/** One permission that an operation needs, as the table of permissions states it. */

import type { S3Action } from './actions.ts'

/** `source`: the object a copy reads. `each key`: every object that the body of DeleteObjects names. */
export type RuleResource = 'service' | 'bucket' | 'object' | 'source' | 'each key'

/** What of a request makes it need a permission. */
export type Trigger =
  /** One of these headers, or fields of a form, unless its value is one of `except`, or none of `only`; in lower case. */
  | { readonly headers: readonly string[]; readonly except?: readonly string[]; readonly only?: readonly string[] }
  /** An element of the body: judged by the operation, which reads it. */
  | { readonly element: string }
  /** The source of a copy has tags, and they are copied: judged by the operation. */
  | { readonly copied: 'tags' }
  /** The object has it to show: judged by the operation. */
  | { readonly shown: 'tags' | 'retention' | 'legal hold' }

export interface PermissionRule {
  readonly action: S3Action
  /** Instead of `action`, for a request that names a version. */
  readonly ofVersion?: S3Action
  readonly resource: RuleResource
  /** Absent: always. */
  readonly when?: Trigger
  /** What becomes of a request without the permission. @default it is refused with AccessDenied */
  readonly without?: 'header ignored' | 'header left out'
  /** Part of making the object: a list that lets write to the bucket lets say this of what is written. */
  readonly creates?: true
  /** `s3:ObjectCreationOperation`: does the request make the object by itself? */
  readonly creation?: boolean
  /** Keys of conditions that the body answers: where a policy names one, the operation judges again when it has read it. */
  readonly body?: readonly string[]
  /** Keys of conditions that parameters of the query answer, by parameter. */
  readonly query?: Readonly<Record<string, string>>
}

type Rules = readonly PermissionRule[]

export const onBucket = (action: S3Action): Rules => [{ action, resource: 'bucket' }]
export const onObject = (action: S3Action): Rules => [{ action, resource: 'object' }]
/** One action for the current object, another for a version named by its id: neither grants the other. */
export const onVersion = (action: S3Action, ofVersion: S3Action): Rules => [{ action, ofVersion, resource: 'object' }]

export const aclHeaderNames = [
  'x-amz-acl',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write',
  'x-amz-grant-write-acp',
] as const
