/** What is asked of everything that can allow it. */

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
  /** Of what is listed, where the request does not say it. */
  readonly prefix?: string
  /** Under keys of conditions, in lower case, what neither headers nor this permission says elsewhere; an empty list says that there is none. */
  readonly values?: Readonly<Record<string, readonly string[]>>
  /** Part of making the object: a list that lets write to the bucket allows it. */
  readonly creates?: true
  /** Keys of conditions that the body answers. Where a policy names one, the operation asks again when it has read it. */
  readonly awaits?: readonly string[]
}

/** The request, as far as permissions depend on it. */
export interface PermissionRequest {
  readonly headers: RequestHeaders
  readonly query: QueryParams
}
