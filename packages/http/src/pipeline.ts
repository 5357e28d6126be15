/**
 * The way of a request, in its one order: target → authenticate → detect → authorise → screen → parse → command → answer.
 * Every step refuses by throwing; whoever called turns what was thrown into an answer, once. Nothing is sent before this
 * has resolved, so a refusal is never preceded by a header.
 */

import { checkBucketName, isStorageError } from '@varve/core'
import type { Identity } from './access/identity.ts'
import { accessDenied, authorise } from './authorise.ts'
import type { Allows } from './authorise.ts'
import { isS3Error, S3Error } from './errors.ts'
import { formBoundary } from './form/boundary.ts'
import { receiveForm } from './form/receive-form.ts'
import type { Result } from './operations/answer.ts'
import { detect, isForm, levelOf } from './operations/detect.ts'
import type {
  BuiltRow,
  Client,
  Level,
  Permission,
  RequestBody,
  ServiceContext,
  Subject,
} from './operations/operation.ts'
import { screen } from './operations/screen.ts'
import { parseSubject } from './operations/subject.ts'
import { createRequestBody, noBody } from './request-body.ts'
import type { Service } from './service-options.ts'
import { parseTarget } from './target/parse-target.ts'
import type { Target } from './target/parse-target.ts'
import { createRequestHeaders } from './target/request-headers.ts'
import type { RequestHeaders } from './target/request-headers.ts'

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string
  /** The request target as received: origin form. */
  readonly rawUrl: string
  /** Name, value, name, value; one byte per character. */
  readonly rawHeaders: readonly string[]
  /** Read once at most, and only if the operation wants it. */
  readonly body: AsyncIterable<Uint8Array>
  readonly secure: boolean
  readonly requestId: string
  readonly client: Client
  /** Filled in as it becomes known, for logs. */
  readonly trace: Trace
}

export interface Trace {
  /** S3's name of the operation. */
  operation?: string
  /** Id of the identity. */
  identity?: string
}

/** @throws S3Error, StorageError */
export async function runRequest(service: Service, request: WireRequest): Promise<Result> {
  const { method, rawHeaders, trace } = request

  const sentHeaders = createRequestHeaders(rawHeaders)
  const hostHeader = sentHeaders.single('host')
  if (hostHeader === undefined) throw new S3Error('InvalidRequest', 'A request needs a Host header.')
  const target = parseTarget({ rawUrl: request.rawUrl, hostHeader, hostSuffixes: service.hostSuffixes })
  if (!methods.has(method)) throw unknownMethod(method)

  const { rawPath, query } = target
  const level = levelOf(target)
  const verified = service.verify({ method, rawPath, query, headers: sentHeaders }, service.now())
  if (verified.anonymous) return runForm(service, request, { target, level, hostHeader, headers: sentHeaders })

  const { identity, payload, presigned } = verified
  trace.identity = identity.id
  const headers = verified.hoisted.length === 0 ? sentHeaders : createRequestHeaders(rawHeaders, verified.hoisted)
  const row = detect({ method, level, query, headers })
  trace.operation = row.name
  if (row.handler === undefined) throw new S3Error('NotImplemented', `${row.name} is not implemented.`)
  if (isForm(row)) throw signedOtherwise(sentHeaders)
  const bodyOf = (): RequestBody =>
    row.body === undefined
      ? noBody
      : createRequestBody(request.body, {
          kind: row.body,
          headers,
          payload,
          seed: verified,
          hashing: service.hashing,
        })
  return runRow(service, request, { row, target, hostHeader, identity, headers, presigned, bodyOf })
}

interface Sent {
  readonly target: Target
  readonly hostHeader: string
  readonly headers: RequestHeaders
}

interface Identified extends Sent {
  readonly row: BuiltRow
  readonly identity: Identity
  readonly presigned: boolean
  /** Called when nothing is left that could be refused without it. */
  readonly bodyOf: () => RequestBody
}

/** A request without credentials is nobody's, unless it is a form: those have theirs inside. */
async function runForm(service: Service, request: WireRequest, sent: Sent & { level: Level }): Promise<Result> {
  const { trace, method } = request
  const { target, level, headers } = sent
  const { bucket, query } = target
  if (method !== 'POST' || level !== 'bucket' || bucket === undefined) throw accessDenied()
  const row = detect({ method, level, query, headers })
  if (!isForm(row)) throw accessDenied()
  trace.operation = row.name
  checkBucketName(bucket)
  const now = service.now()
  const form = await receiveForm(request.body, { bucket, headers, now, ...service.signers })
  try {
    const { identity, key, body } = form
    if (identity === undefined) throw accessDenied()
    trace.identity = identity.id
    const asked = { row, identity, headers: form.headers, presigned: false, bodyOf: () => body }
    return await runRow(service, request, { ...sent, ...asked, target: { ...target, key } })
  } catch (error) {
    await form.close()
    throw error
  }
}

/** Everything behind knowing who asks. */
async function runRow(service: Service, request: WireRequest, identified: Identified): Promise<Result> {
  const { row, target, hostHeader, identity, headers, presigned, bodyOf } = identified
  const { requestId, client } = request
  const { query } = target
  const store = service.store.as({ by: { id: identity.id, name: identity.displayName }, requestId })
  const subject = parseSubject(row, target, headers)
  const permissions = permissionsOf(row, subject)
  const allows = await authorise({ store, identity, subject, permissions, headers })

  screen(row, { query, headers, presigned })

  const { dialect, options, downloads } = service
  const body = bodyOf()
  const origin = originOf(request, target, hostHeader)
  // What is spread stands last: V8 has a fast way for that, and none for members that follow.
  const asked = {
    store,
    identity,
    dialect,
    options,
    downloads,
    requestId,
    query,
    headers,
    body,
    client,
    origin,
    allows,
    ...subject,
  }
  return run(row, asked).catch(hideAbsence(subject, allows))
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** A form has its signature in a field. Signed by its headers or URL, it is none, or it is two requests. */
function signedOtherwise(headers: RequestHeaders): S3Error {
  formBoundary(headers)
  return new S3Error(
    'InvalidArgument',
    'Only one auth mechanism allowed; a form is signed by its fields, not by its headers or its URL',
    { details: { ArgumentName: 'Authorization' } },
  )
}

function unknownMethod(method: string): S3Error {
  return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { Method: method },
    headers: { allow: 'DELETE, GET, HEAD, POST, PUT' },
  })
}

/*
 * The level of the row is that of the target (`detect`), and a row with `copySource` has its source (`parseSubject`): that
 * is why the names a row's functions rely on are there.
 */
function permissionsOf(row: BuiltRow, subject: Subject): readonly Permission[] {
  const permissions = row.permissions as (subject: Subject) => readonly Permission[]
  return permissions(subject)
}

function run(row: BuiltRow, context: ServiceContext): Promise<Result> {
  const handler = row.handler as (context: ServiceContext) => Promise<Result>
  return handler(context)
}

/** Who may not list a bucket is not told whether a key is in it. */
function hideAbsence({ bucket, source }: Subject, allows: Allows): (error: unknown) => never {
  return (error) => {
    const absent = isStorageError(error, 'NoSuchKey') || isS3Error(error, 'NoSuchKey')
    const place = source?.bucket ?? bucket
    if (absent && place !== undefined && !allows({ action: 's3:ListBucket', bucket: place })) throw accessDenied()
    throw error
  }
}

function originOf({ secure }: WireRequest, { style, bucket = '' }: Target, host: string): string {
  const own = style === 'virtual' ? host.slice(bucket.length + 1) : host
  return `${secure ? 'https' : 'http'}://${own}`
}
