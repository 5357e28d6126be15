/** A request with a known identity, from its authorisation to the answer: authorise → screen → command. */

import { type Actor, isStorageError, type Seq } from '@varve/core'
import { anonymous } from '../policies/anonymous.ts'
import type { RequestContext } from '../policies/condition-keys.ts'
import type { Identity } from '../access/identity.ts'
import { type Access, type AccessRequest, type Authorised, authorise } from './authorise.ts'
import { assertDigestsOfNothing } from '../body/empty-body.ts'
import { type Holding, RequestBudget } from '../budgets/request-budget.ts'
import { accessDenied, isS3Error } from '../errors/errors.ts'
import { type AnswerBody, type Result, withHeaders } from '../contract/answer.ts'
import type { BuiltRow, Permission, RequestBody, ServiceContext, Subject } from '../contract/operation.ts'
import { pastReads } from '../look-back/past-reads.ts'
import { historyPermissions, mayBePast, pastSubject } from '../look-back/past-subject.ts'
import { isForm } from '../operations/detect.ts'
import { screen } from '../operations/screen.ts'
import { parseSubject } from '../operations/subject.ts'
import type { Service } from './service-options.ts'
import type { Target } from '../target/parse-target.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { WireRequest } from '../contract/wire-request.ts'

export interface Sent {
  readonly target: Target
  readonly hostHeader: string
  readonly headers: RequestHeaders
}

export interface Identified extends Sent {
  readonly row: BuiltRow
  /** Absent for an anonymous request. */
  readonly identity: Identity | undefined
  readonly signed: RequestContext['signed']
  readonly signatureVersion?: RequestContext['signatureVersion']
  /** The moment that the request asks for with `x-varve-at`. */
  readonly momentText?: string
  /** For a write that reads no body: refuses one that was sent. May be called again. @throws S3Error `InvalidRequest` */
  readonly assertNoContent: () => Promise<void>
  /** Called last, when every check that does not need the body has passed. */
  readonly bodyOf: (budget: Holding) => RequestBody
}

const attemptsMax = 4

/** Runs the request, or what the hooks of the service make of it. @throws S3Error, StorageError */
export function runRow(service: Service, request: WireRequest, identified: Identified): Promise<Result> {
  const { span } = request
  if (span === undefined) return runIntercepted(service, request, identified)
  return span.operation(identified.row.name, () => runIntercepted(service, request, identified))
}

function runIntercepted(service: Service, request: WireRequest, identified: Identified): Promise<Result> {
  const { intercept } = service
  if (intercept === undefined) return attemptRowAgain(service, request, identified)
  const { requestId, method, client } = request
  const { row, target } = identified
  const intercepted = { requestId, method, operation: row.name, bucket: target.bucket, key: target.key, client }
  return intercept(intercepted, () => attemptRowAgain(service, request, identified))
}

/** A request without a body runs again if rows of its read set changed meanwhile. */
async function attemptRowAgain(service: Service, request: WireRequest, identified: Identified): Promise<Result> {
  const { row } = identified
  const beganAt = service.now()
  const isRepeatable = row.body === undefined && !isForm(row)
  for (let attempts = 1; ; attempts++) {
    try {
      return await attemptRow(service, request, identified, beganAt)
    } catch (error) {
      if (!isRepeatable || attempts === attemptsMax || !isStorageError(error, 'ReadSetChanged')) throw error
    }
  }
}

/** A request keeps its start time, so that conditions on time give the same result at every attempt. */
async function attemptRow(
  service: Service,
  request: WireRequest,
  identified: Identified,
  beganAt: number,
): Promise<Result> {
  const { row, target, hostHeader, identity, headers, bodyOf } = identified
  const { requestId, client } = request
  const { query } = target
  const by = actorOf(identified)
  const named = parseSubject(row, target, headers)
  const subject = mayBePast(named, identified.momentText)
    ? await lookBackFrom(service, request, identified, { named, beganAt })
    : named
  const authorising = authoriseRow(service, request, identified, { named, subject, beganAt })
  const access = authorising instanceof Promise ? await authorising : authorising
  // The handler has no other store, so all its reads and writes are compared with what was authorised.
  const own = service.store.as({ by, requestId, authorisation: access.authorisation, committed: noteIn(request) })
  const { at } = subject
  noteFound(request, at, access)
  const store = at === undefined ? own : pastReads(await own.at(at))

  screenSent(service, identified)
  if (readsNoBody(row)) await identified.assertNoContent()

  const { dialect, options, downloads, now } = service
  const budget = new RequestBudget(service.budgets, client, identity?.id)
  const body = bodyOf(budget)
  const origin = originOf(request, target, hostHeader)
  // Written without a spread, which takes several times as long.
  const { bucket, requestedName, key, versionId, prefix, source, forkSource } = subject
  const context = {
    store,
    identity,
    by,
    dialect,
    options,
    downloads,
    budget,
    requestId,
    query,
    headers,
    body,
    client,
    origin,
    people: service.access.people,
    now,
    allows: access.allows,
    bucketAccess: access.bucketAccess,
    assume: access.assume,
    bucket,
    at,
    requestedName,
    key,
    versionId,
    prefix,
    source,
    forkSource,
  } satisfies { readonly [K in keyof Subject]-?: unknown } & Readonly<Record<string, unknown>>
  budget.begin()
  try {
    const result = noteCharge(await run(row, context), access)
    holdResult(budget, request.method, result)
    return result
  } catch (error) {
    throw await shownError(error, subject, access)
  } finally {
    budget.end()
  }
}

function screenSent(
  { hashing }: Service,
  { row, target: { query }, headers, signed, signatureVersion }: Identified,
): void {
  const presignedBy = signed === 'REST-QUERY-STRING' ? signatureVersion : undefined
  screen(row, { query, headers, presignedBy })
  if (readsNoBody(row)) assertDigestsOfNothing(headers, hashing)
}

/** Whether it writes, and what it writes is not in the body. Reads ignore such headers, as HTTP does. */
const readsNoBody = (row: BuiltRow): boolean =>
  row.body === undefined && row.method !== 'GET' && row.method !== 'HEAD' && !isForm(row)

function noteFound(request: WireRequest, at: Seq | undefined, { hasCorsRules }: Authorised): void {
  if (at !== undefined) request.trace.at = at
  request.hasCorsRules ??= hasCorsRules
}

function authoriseRow(
  service: Service,
  request: WireRequest,
  identified: Identified,
  { named, subject, beganAt }: { readonly named: Subject; readonly subject: Subject; readonly beganAt: number },
): Authorised | Promise<Authorised> {
  const {
    row,
    headers,
    target: { query },
  } = identified
  const needed = row.permissions(subject, { headers, query })
  const permissions = subject === named ? needed : [...historyPermissions(subject), ...needed]
  const ofVersion = 'ofVersion' in row && row.ofVersion === true
  const needs = { beganAt, subject, permissions, later: row.later ?? nothing, ofVersion }
  return authorise(accessRequest(service, request, identified, needs))
}

const actorOf = ({ identity }: Identified): Actor =>
  identity === undefined ? anonymous : { id: identity.id, name: identity.displayName }

const nothing: readonly never[] = []

const charged = { 'x-amz-request-charged': 'requester' } as const

const noteCharge = (result: Result, { isCharged }: Authorised): Result =>
  isCharged ? withHeaders(result, charged) : result

/** Written without spreads: V8 has no fast path for most of them, and this runs for every request. */
function accessRequest(
  service: Service,
  request: WireRequest,
  identified: Identified,
  { beganAt, subject, permissions, later, ofVersion }: Needs,
): AccessRequest {
  const {
    store,
    access: { buckets, people },
  } = service
  const requestContext = requestContextOf(service, request, identified, { beganAt, subject })
  return { store, subject, permissions, later, by: actorOf(identified), buckets, people, requestContext, ofVersion }
}

interface Needs extends Pick<AccessRequest, 'subject' | 'permissions' | 'later' | 'ofVersion'> {
  readonly beganAt: number
}

function lookBackFrom(
  service: Service,
  request: WireRequest,
  identified: Identified,
  { named, beganAt }: { readonly named: Subject; readonly beganAt: number },
): Promise<Subject> {
  const { row, momentText, identity } = identified
  const mayLookBack = async (bucket: string) => {
    const permissions = [{ action: 'varve:ReadHistory', bucket }] as const
    const looking = { beganAt, subject: { bucket }, permissions, later: nothing, ofVersion: false }
    return authorise(accessRequest(service, request, identified, looking))
  }
  const { store, access } = service
  const isAnonymous = identity === undefined
  return pastSubject({ row, momentText, store, buckets: access.buckets, isAnonymous, mayLookBack }, named)
}

/** The last position becomes a header of the answer. */
const noteIn =
  ({ trace, span }: Pick<WireRequest, 'trace' | 'span'>) =>
  (seq: Seq): void => {
    trace.seq = Math.max(trace.seq ?? 0, seq)
    span?.committed(seq)
  }

/** A shorter answer costs no more memory than its connection. */
const wholeAnswerMin = 16 * 1024

/**
 * Reserves memory for a result that was read, until it is sent. A result of a write is never refused here.
 * @throws S3Error `SlowDown`
 */
function holdResult(budget: RequestBudget, method: string, result: Result): void {
  // A slow answer uses the request's memory until it is complete.
  if ('slow' in result) void budget.during(() => result.slow).catch(() => undefined)
  else if (!isWhole(result.body)) {
    if (result.body !== undefined) budget.holdStream(method !== 'GET')
  } else if (method === 'GET' && result.body.length > wholeAnswerMin) budget.holdBody(result.body.length)
}

const isWhole = (body: AnswerBody | undefined): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array

/** The values that conditions of policies can use. */
function requestContextOf(
  { options: { region } }: Service,
  { secure, client }: WireRequest,
  { identity, signed, signatureVersion, headers, target: { query } }: Identified,
  { beganAt, subject: { source } }: Pick<Needs, 'beganAt' | 'subject'>,
): AccessRequest['requestContext'] {
  const now = () => beganAt
  return { identity, signed, signatureVersion, headers, query, secure, region, now, address: client.address, source }
}

/* The level of the row is that of the target (`detect`), and a row with `copySource` has its source (`parseSubject`). */
function run(row: BuiltRow, context: ServiceContext): Promise<Result> {
  const handler = row.handler as (context: ServiceContext) => Promise<Result>
  return handler(context)
}

/** Hides whether a key exists from a requester that may not list the bucket or this prefix. */
async function shownError(error: unknown, { bucket, key, at, source }: Subject, { allows }: Access): Promise<unknown> {
  const absent = isStorageError(error, 'NoSuchKey') || isS3Error(error, 'NoSuchKey')
  if (!absent) return error
  const place =
    source ??
    (bucket === undefined ? undefined : { bucket, ...(key !== undefined && { key }), ...(at !== undefined && { at }) })
  return place === undefined || (await allows(listing(place))) ? error : accessDenied()
}

const listing = ({ bucket, key, at }: Pick<Subject, 'key' | 'at'> & { readonly bucket: string }): Permission => ({
  action: 's3:ListBucket',
  bucket,
  ...(at !== undefined && { at }),
  ...(key !== undefined && { prefix: key }),
})

function originOf({ secure }: WireRequest, { style, bucket = '' }: Target, host: string): string {
  const own = style === 'virtual' ? host.slice(bucket.length + 1) : host
  return `${secure ? 'https' : 'http'}://${own}`
}
