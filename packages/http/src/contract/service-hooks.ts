/** What a test kit puts between requests and their answers. A server for other people has none of it. */

import type { Identity } from '../access/identity.ts'
import type { Result } from './answer.ts'
import type { Client } from './operation.ts'

/** A request whose signature was verified and whose operation is known. */
export interface InterceptedRequest {
  readonly requestId: string
  readonly method: string
  /** S3's name of the operation. */
  readonly operation: string
  /** The names in the target of the request. */
  readonly bucket: string | undefined
  readonly key: string | undefined
  readonly client: Client
}

/** Hooks of a service. */
export interface ServiceHooks {
  /** Called once for each request, before it is authorised. `answer` runs it. What is thrown becomes an error answer. */
  intercept(request: InterceptedRequest, answer: () => Promise<Result>): Promise<Result>
  /** Finds identities that are not among those of the server. */
  findIdentity?(accessKeyId: string): Identity | undefined
  /** How far the clock of a signed request may be off, in milliseconds. @default 900_000 */
  readonly maxSkewMs?: number
}
