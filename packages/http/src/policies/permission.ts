/** One permission that a request needs: an action on a resource. */

import type { Seq } from '@varve/core'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { PolicyAction } from './actions.ts'

/** An action on a resource that an identity must be allowed. Without a bucket: on the service as a whole. */
export interface Permission {
  readonly action: PolicyAction
  readonly bucket?: string
  readonly key?: string
  /** The version of the key; absent for the newest. */
  readonly versionId?: string
  /** The position that the requester looks back to. Absent: now. */
  readonly at?: Seq
  /** The prefix of a listing, if it is not in the query of the request. */
  readonly prefix?: string
  /**
   * Values of condition keys (lower case) that are not in headers or other fields. An empty list: the key is absent.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>
  /** The permission is part of creating the object. An ACL that allows writing to the bucket allows it. */
  readonly creates?: true
  /** Condition keys with values from the body. If a policy names one, the operation checks again after reading it. */
  readonly awaits?: readonly string[]
}

/** The parts of the request that permissions depend on. */
export interface PermissionRequest {
  readonly headers: RequestHeaders
  readonly query: QueryParams
}
