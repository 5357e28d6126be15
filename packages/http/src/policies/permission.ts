/** One permission that a request needs: an action on a resource. */

import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { S3Action } from './actions.ts'

/** One thing an identity must be allowed. No bucket: the service as a whole. */
export interface Permission {
  readonly action: S3Action
  readonly bucket?: string
  readonly key?: string
  /** Of the key; the newest when absent. */
  readonly versionId?: string
  /** The prefix of a listing, if the request does not have it. */
  readonly prefix?: string
  /** Values of condition keys (lower case) that are in neither headers nor other fields; an empty list: the key is absent. */
  readonly values?: Readonly<Record<string, readonly string[]>>
  /** Part of making the object: a list that lets write to the bucket allows it. */
  readonly creates?: true
  /** Condition keys whose values are in the body. If a policy names one, the operation checks again after reading it. */
  readonly awaits?: readonly string[]
}

/** The request, as far as permissions depend on it. */
export interface PermissionRequest {
  readonly headers: RequestHeaders
  readonly query: QueryParams
}
