/**
 * The contract between the pipeline and the operations.
 *
 * A row of the table describes how an operation is recognised, which permissions it needs, which parameters it takes, and
 * which function does it. By the time a handler runs, the request is authenticated, authorised and screened: what the
 * context holds is what was authorised, so handlers act on `bucket`, `key`, `versionId` and `source` of the context and
 * never read those from query or headers again. A handler reads its other parameters, runs one command or query of the
 * store, and returns an answer. It refuses by throwing `S3Error`, lets the store's errors pass, and never renders one.
 */

import type { Actor, AnnotatedVersion, ByteChecks, CopySource, RequestStore } from '@varve/core'
import type { AssumedVersion } from '../access/assumptions.ts'
import type { BucketAccess } from '../access/decide-access.ts'
import type { People } from '../access/grantees.ts'
import type { Permission, PermissionRequest } from '../policies/permission.ts'
import type { S3Action } from '../policies/actions.ts'
import type { Identity } from '../access/identity.ts'
import type { Holding } from '../budgets/request-budget.ts'
import type { Dialect } from './dialect.ts'
import type { DownloadSlots } from './download-slots.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { Result } from './answer.ts'
import type { BucketDefaults } from './bucket-defaults.ts'

export type { Permission } from '../policies/permission.ts'

export type Level = 'service' | 'bucket' | 'object'

/** What a request names: parsed once, then authorised and acted on. */
export interface Subject {
  readonly bucket?: string
  /** Only within a bucket. 1 to 1024 bytes. */
  readonly key?: string
  /** Of `?versionId=`; never empty, not yet known to be well formed. */
  readonly versionId?: string
  /** Of `?prefix=`, for rows that have the parameter. `''` when there is none. */
  readonly prefix?: string
  /** Of `x-amz-copy-source`, for rows with `copySource`. Its `conditions` are left to the handler. */
  readonly source?: Omit<CopySource, 'conditions'>
}

/** The body of a request, read on demand. Reading it twice is a mistake (`TypeError`). */
export interface RequestBody {
  /** Bytes after decoding, as declared; `undefined` when the request declares none. Asking costs nothing. */
  readonly length: number | undefined
  /**
   * It may come for longer than a moment, so the handler should watch whether the client is still there. The end of a
   * short one is its own signal: a client that goes before it makes the stream fail.
   */
  readonly isLong: boolean
  /**
   * The checks that the client wants for the bytes (`content-md5`, `x-amz-checksum-…`, trailers, the algorithm it named, the
   * SHA-256 it signed), in the form the store takes: spread it into `put` and `uploadPart`. Asking costs nothing.
   * @throws S3Error `InvalidDigest`, `InvalidRequest`, `MissingContentLength` and the like.
   */
  checks(): ByteChecks
  /**
   * The decoded bytes. Framing, length and signatures are verified before the iteration ends without an error; what
   * `checks()` asks for is not: the store does that. Answers `Expect: 100-continue` on the first read.
   * @throws S3Error `SlowDown` when there is no room for another body.
   */
  stream(): AsyncIterable<Uint8Array>
  /**
   * The whole decoded body, everything verified, `checks()` included. Answers `Expect: 100-continue`.
   * @throws S3Error `MaxMessageLengthExceeded` beyond `bytesMax`, `BadDigest`, and what `checks` throws.
   */
  small(bytesMax: number): Promise<Uint8Array>
}

/**
 * `bytes`: of an object or part, with a length. `document`: XML. `completion`: XML too, but the checksum in the headers is
 * that of the object it completes (perhaps `value-N`): `checks()` gives it, `small` does not compare it.
 */
export type BodyKind = 'bytes' | 'document' | 'completion'

/** What an operator decides once. */
export interface OperationOptions {
  readonly region: string
  /** The XML namespace of answers; `''` for none. */
  readonly namespace: string
  /** What buckets begin with. */
  readonly bucketDefaults: BucketDefaults
  /** How long a slow answer may take before its status goes out, in milliseconds. */
  readonly keepAliveAfterMs: number
  /** Between white space, in milliseconds. */
  readonly keepAliveEveryMs: number
  /** ARNs that notifications can be sent to. */
  readonly notificationTargets: readonly string[]
}

/** The client that waits for the answer. */
export interface Client {
  /** Aborts when the client goes away: pass it to the store. Created on first use. */
  readonly signal: AbortSignal
  /** A chunk of the answer is sent, not only queued, when the next is requested: its buffer may be filled again then. */
  readonly takesBeforeNext?: boolean
  /** The address they come from. */
  readonly address?: string | undefined
  /** Calls `act` when the answer was sent, or given up. At once if that is so already. */
  onOver(act: () => void): void
}

export interface ServiceContext extends Subject {
  /** Acts for `identity`, under `requestId`. */
  readonly store: RequestStore
  /** Absent: an anonymous request. */
  readonly identity: Identity | undefined
  /** The actor: the identity, or `anonymous`. */
  readonly by: Actor
  readonly dialect: Dialect
  readonly options: OperationOptions
  readonly downloads: DownloadSlots
  /** What this request may hold in memory. */
  readonly budget: Holding
  readonly requestId: string
  readonly query: QueryParams
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly client: Client
  /** `http://host` or `https://host` as the client addressed it, without a bucket in front: for `Location`. */
  readonly origin: string
  /**
   * Whether the identity may also do this, for permissions that follow from headers and body. The bucket must be that of the context, or of its source.
   * What was allowed here has to be allowed still when the store answers or commits.
   */
  allows(permission: Permission): Promise<boolean>
  /** A version that the answer depends on: it must be unchanged, annotations included, when the store answers or commits. */
  assume(version: AssumedVersion): Promise<AnnotatedVersion>
  readonly people: People
  /** The clock: milliseconds since the epoch. */
  now(): number
}

export interface BucketContext extends ServiceContext {
  readonly bucket: string
  /**
   * The access settings of the bucket. Of a new bucket: its owner. A field that is read here has to be the same still
   * when the store answers or commits.
   */
  readonly bucketAccess: BucketAccess
}

export interface ObjectContext extends BucketContext {
  readonly key: string
}

/** For rows with `copySource`. */
export interface CopyContext extends ObjectContext {
  readonly source: NonNullable<Subject['source']>
}

/** All must hold. */
export interface When {
  /** Parameters that are present, or (a pair) have this value. Names are case-sensitive. */
  readonly query?: readonly (string | readonly [name: string, value: string])[]
  /** Headers that are present, in lower case, `x-amz-…` spelling; or (a pair) start with this value. */
  readonly header?: readonly (string | readonly [name: string, prefix: string])[]
}

interface Row<L extends Level> {
  /** S3's name. */
  readonly name: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly level: L
  readonly when: When
}

/** Known, and answered by `NotImplemented`. */
export interface UnbuiltRow extends Row<Level> {
  readonly handler?: never
}

interface Built<L extends Level, C> extends Row<L> {
  /** All are needed. Given the subject that the handler will act on: `permissionsOf` makes it from the table of permissions. */
  readonly permissions: (subject: Subject, request: PermissionRequest) => readonly Permission[]
  /**
   * Query parameters the operation takes, beyond those of `when` and those every request may have. Others that could
   * change its meaning are refused: see `screen.ts`.
   */
  readonly params?: readonly string[]
  /** Actions that depend on the body. A requester that could be allowed none of them is refused before it is read. */
  readonly later?: readonly S3Action[]
  /** Headers of `screening.ts`, by the names they have there, that this operation looks at itself. */
  readonly understands?: readonly string[]
  /** What the request brings. Absent: nothing, and what comes all the same is thrown away. */
  readonly body?: BodyKind
  readonly handler: (context: C) => Promise<Result>
}

export interface ServiceRow extends Built<'service', ServiceContext> {}
export interface BucketRow extends Built<'bucket', BucketContext> {}
export interface ObjectRow extends Built<'object', ObjectContext> {
  readonly copySource?: false
  /** It annotates the version that the request names, and must not annotate one that takes its place meanwhile. */
  readonly ofVersion?: true
}
/** Has a source in `x-amz-copy-source`: parsed into `source`, and authorised like the rest. */
export interface CopyRow extends Built<'object', CopyContext> {
  readonly copySource: true
}

/** A form: the identity, the key and the options are in its fields, which are the `headers` of the context. */
export interface FormRow extends Omit<Built<'bucket', ObjectContext>, 'permissions' | 'body'> {
  readonly form: true
  readonly permissions: ObjectRow['permissions']
  readonly body?: never
}

/** The row of an operation that is built. Its shape depends on what the operation acts on. */
export type BuiltRow = ServiceRow | BucketRow | ObjectRow | CopyRow | FormRow
/** One operation of S3, built or answered with `NotImplemented`. */
export type OperationRow = BuiltRow | UnbuiltRow

/**
 * What an operation's file exports: `put-object.ts` has `export const putObject: ObjectOperation`. Everything else about
 * its row stands in `table.ts`.
 */
export type ServiceOperation = ServiceRow['handler']
export type BucketOperation = BucketRow['handler']
export type ObjectOperation = ObjectRow['handler']
export type CopyOperation = CopyRow['handler']
