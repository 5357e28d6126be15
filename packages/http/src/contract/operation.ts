/**
 * The contract between the pipeline and the operations.
 *
 * A row of the table describes how an operation is recognised, which permissions it needs, which parameters it takes,
 * and which function implements it. When a handler runs, the request is authenticated, authorised and screened.
 * Handlers act on `bucket`, `key`, `versionId` and `source` of the context, which are the authorised values, and never
 * read those from query or headers again. A handler reads its other parameters, runs one command or query of the store,
 * and returns an answer. It refuses by throwing `S3Error`, passes on the store's errors, and never renders an error.
 */

import type { Actor, AnnotatedVersion, ByteChecks, CopySource, RequestStore, Seq } from '@varve/core'
import type { AssumedVersion } from '../access/assumptions.ts'
import type { BucketAccess } from '../access/decide-access.ts'
import type { People } from '../access/grantees.ts'
import type { Permission, PermissionRequest } from '../policies/permission.ts'
import type { PolicyAction } from '../policies/actions.ts'
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

/** The resources that a request names: parsed once, then authorised and used. */
export interface Subject {
  readonly bucket?: string
  /** The position that the request looks back to. Absent: now. Only operations that read have it. */
  readonly at?: Seq
  /** The name that the request has for a bucket as it was, for answers that repeat it. Absent: `bucket`. */
  readonly requestedName?: string
  /** Present only with a bucket. 1 to 1024 bytes. */
  readonly key?: string
  /** From `?versionId=`. Never empty; may be malformed. */
  readonly versionId?: string
  /** From `?prefix=`, for rows that have the parameter. `''` without one. */
  readonly prefix?: string
  /** From `x-amz-copy-source`, for rows with `copySource`. The handler reads the `conditions`. */
  readonly source?: Omit<CopySource, 'conditions' | 'at'> & { readonly at?: Seq }
  /** From `x-varve-fork-source`, for rows with `takesForkSource`: the bucket that the new one begins as. */
  readonly forkSource?: { readonly bucket: string; readonly at?: Seq }
}

/** The body of a request, read on demand. Reading it twice throws `TypeError`. */
export interface RequestBody {
  /** Bytes after decoding, as declared; `undefined` when the request declares none. Reading it costs nothing. */
  readonly length: number | undefined
  /**
   * Whether the body may take longer than a moment to arrive, so that the handler should watch whether the client is
   * still connected. A short body needs no watch: if the client goes away, the stream fails.
   */
  readonly isLong: boolean
  /**
   * The checks that the client requests for the bytes (`content-md5`, `x-amz-checksum-…`, trailers, the algorithm it
   * named, the SHA-256 it signed), in the form that the store takes: spread it into `put` and `uploadPart`. Calling it
   * costs nothing.
   * @throws S3Error `InvalidDigest`, `InvalidRequest`, `MissingContentLength` and the like.
   */
  checks(): ByteChecks
  /**
   * The decoded bytes. Framing, length and signatures are verified before the iteration ends without an error. The
   * store verifies the checks in `checks()`. Answers `Expect: 100-continue` on the first read.
   * @throws S3Error `SlowDown` when there is no room for another body.
   */
  stream(): AsyncIterable<Uint8Array>
  /**
   * Returns the whole decoded body, with everything verified, `checks()` included. Answers `Expect: 100-continue`.
   * @throws S3Error `MaxMessageLengthExceeded` beyond `bytesMax`, `BadDigest`, and the errors of `checks`.
   */
  small(bytesMax: number): Promise<Uint8Array>
}

/**
 * `bytes`: the bytes of an object or part, with a length. `document`: XML. `completion`: XML too, but the checksum in
 * the headers is that of the completed object (perhaps `value-N`): `checks()` returns it, and `small` does not compare
 * it.
 */
export type BodyKind = 'bytes' | 'document' | 'completion'

/** Options that the operator sets once. */
export interface OperationOptions {
  readonly region: string
  /** The XML namespace of answers; `''` for none. */
  readonly namespace: string
  /** The settings of new buckets. */
  readonly bucketDefaults: BucketDefaults
  /** How long a slow answer may take before its status is sent, in milliseconds. */
  readonly keepAliveAfterMs: number
  /** The pause between pieces of white space, in milliseconds. */
  readonly keepAliveEveryMs: number
  /** ARNs that notifications can be sent to. */
  readonly notificationTargets: readonly string[]
  /** Whether requests can take snapshots. */
  readonly hasSnapshots: boolean
}

/** The client that waits for the answer. */
export interface Client {
  /** Aborts when the client goes away: pass it to the store. Created on first use. */
  readonly signal: AbortSignal
  /**
   * Whether a chunk of the answer was sent, not only queued, when the next chunk is requested. Then its buffer may be
   * reused.
   */
  readonly takesBeforeNext?: boolean
  /** The address of the client. */
  readonly address?: string | undefined
  /** Calls `act` when the answer was sent or given up; at once if that has happened already. */
  onOver(act: () => void): void
  /** Ends the connection, whatever was sent. Absent for a client without one. */
  disconnect?(): void
}

export interface ServiceContext extends Subject {
  /** Acts for `identity`, under `requestId`. For a request that looks back, it has the reads of the past alone. */
  readonly store: RequestStore
  /** Absent for an anonymous request. */
  readonly identity: Identity | undefined
  /** The actor: the identity, or `anonymous`. */
  readonly by: Actor
  readonly dialect: Dialect
  readonly options: OperationOptions
  readonly downloads: DownloadSlots
  /** The memory that this request may hold. */
  readonly budget: Holding
  readonly requestId: string
  readonly query: QueryParams
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly client: Client
  /** `http://host` or `https://host` as the client addressed it, without the bucket: for `Location`. */
  readonly origin: string
  /**
   * Whether the identity also has this permission, for permissions that follow from headers and body. The bucket must
   * be that of the context or of its source. A permission that was granted must still be granted when the store answers
   * or commits.
   */
  allows(permission: Permission): Promise<boolean>
  /**
   * Reads a version that the answer depends on. It must be unchanged, with its annotations, when the store answers or
   * commits.
   */
  assume(version: AssumedVersion): Promise<AnnotatedVersion>
  readonly people: People
  /** The clock: milliseconds since the epoch. */
  now(): number
}

export interface BucketContext extends ServiceContext {
  readonly bucket: string
  /**
   * The access settings of the bucket; for a new bucket only its owner. A field that is read must be unchanged when the
   * store answers or commits.
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

/** Conditions that must all hold. */
export interface When {
  /** Parameters that must be present, or (a pair) must have this value. Names are case-sensitive. */
  readonly query?: readonly (string | readonly [name: string, value: string])[]
  /** Headers that must be present, in lower case, `x-amz-…` spelling; or (a pair) must start with this value. */
  readonly header?: readonly (string | readonly [name: string, prefix: string])[]
}

interface Row<L extends Level> {
  /** The operation's name in S3. */
  readonly name: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly level: L
  readonly when: When
}

/** An operation that is known and answered with `NotImplemented`. */
export interface UnbuiltRow extends Row<Level> {
  /** Parameters beyond those of `when`. Other operations refuse those that only such operations have. */
  readonly params?: readonly string[]
  readonly handler?: never
}

interface Built<L extends Level, C> extends Row<L> {
  /**
   * The permissions that the operation needs, for the subject that the handler will use. `permissionsOf` creates this
   * function from the table of permissions.
   */
  readonly permissions: (subject: Subject, request: PermissionRequest) => readonly Permission[]
  /**
   * Query parameters that the operation takes, beyond those of `when` and those of every request. Other parameters that
   * could change its meaning are refused: see `screen.ts`.
   */
  readonly params?: readonly string[]
  /** Actions that depend on the body. A requester that could be allowed none is refused before the body is read. */
  readonly later?: readonly PolicyAction[]
  /** Headers that this operation reads itself, beyond those of every request: see `screening.ts`. */
  readonly understands?: readonly string[]
  /** The body that the request carries. Absent: none, and a body that arrives is discarded. */
  readonly body?: BodyKind
  readonly handler: (context: C) => Promise<Result>
}

export interface ServiceRow extends Built<'service', ServiceContext> {}
export interface BucketRow extends Built<'bucket', BucketContext> {
  /** The operation takes `x-varve-fork-source`, which is parsed into `forkSource` and authorised. */
  readonly takesForkSource?: true
}
export interface ObjectRow extends Built<'object', ObjectContext> {
  readonly copySource?: false
  /** The operation annotates the version that the request names, never one that replaced it meanwhile. */
  readonly ofVersion?: true
}
/** An operation with a source in `x-amz-copy-source`, which is parsed into `source` and authorised. */
export interface CopyRow extends Built<'object', CopyContext> {
  readonly copySource: true
}

/** A form: the identity, the key and the options are in its fields, which are the `headers` of the context. */
export interface FormRow extends Omit<Built<'bucket', ObjectContext>, 'permissions' | 'body'> {
  readonly form: true
  readonly permissions: ObjectRow['permissions']
  readonly body?: never
}

/** The row of a built operation. Its shape depends on what the operation acts on. */
export type BuiltRow = ServiceRow | BucketRow | ObjectRow | CopyRow | FormRow
/** One operation of S3, either built or answered with `NotImplemented`. */
export type OperationRow = BuiltRow | UnbuiltRow

/**
 * The type of an operation's export: `put-object.ts` has `export const putObject: ObjectOperation`. The rest of its row
 * is in `table.ts`.
 */
export type ServiceOperation = ServiceRow['handler']
export type BucketOperation = BucketRow['handler']
export type ObjectOperation = ObjectRow['handler']
export type CopyOperation = CopyRow['handler']
