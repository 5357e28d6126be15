/**
 * The way of a request, in its one order: target → authenticate → detect → authorise → screen → parse → command → answer.
 * Every step refuses by throwing; whoever called turns what was thrown into an answer, once. Nothing is sent before this
 * has resolved, so a refusal is never preceded by a header.
 */

import { checkBucketName, isStorageError } from '@varve/core'
import type { Asked } from './access/condition-keys.ts'
import { anonymous } from './access/anonymous.ts'
import type { Identity } from './access/identity.ts'
import { type Access, accessDenied, type AccessRequest, authorise } from './authorise.ts'
import { parsePayloadForm } from './body/payload-form.ts'
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
import { checkUnsignedPayload } from './sigv4/claim-checks.ts'
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
  if (verified.anonymous) return runForNobody(service, request, { target, level, hostHeader, headers: sentHeaders })

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
  const signed = presigned ? 'REST-QUERY-STRING' : 'REST-HEADER'
  return runRow(service, request, { row, target, hostHeader, identity, headers, signed, bodyOf })
}

interface Sent {
  readonly target: Target
  readonly hostHeader: string
  readonly headers: RequestHeaders
}

interface Identified extends Sent {
  readonly row: BuiltRow
  /** Absent: nobody in particular. */
  readonly identity: Identity | undefined
  readonly signed: Asked['signed']
  /** Called when nothing is left that could be refused without it. */
  readonly bodyOf: () => RequestBody
}

/** A request without credentials is nobody's, unless it is a form: those have theirs inside. */
async function runForNobody(service: Service, request: WireRequest, sent: Sent & { level: Level }): Promise<Result> {
  const { method, trace } = request
  const { target, level, headers } = sent
  const row = detect({ method, level, query: target.query, headers })
  trace.operation = row.name
  if (row.handler === undefined) throw accessDenied()
  if (isForm(row)) return runForm(service, request, { ...sent, row })
  const payload = parsePayloadForm(headers.single('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD')
  if (payload.kind.startsWith('streaming-signed')) throw accessDenied()
  const { hashing, signers } = service
  const bodyOf = (): RequestBody => {
    if (row.body === undefined) return noBody
    if (signers.unsignedPayload === 'refuse') checkUnsignedPayload(method, { kind: 'unsigned' })
    return createRequestBody(request.body, { kind: row.body, headers, payload, hashing })
  }
  return runRow(service, request, { ...sent, row, identity: undefined, signed: undefined, bodyOf })
}

async function runForm(service: Service, request: WireRequest, sent: Sent & { row: BuiltRow }): Promise<Result> {
  const { trace } = request
  const { target, headers } = sent
  const { bucket = '' } = target
  checkBucketName(bucket)
  const now = service.now()
  const form = await receiveForm(request.body, { bucket, headers, now, ...service.signers })
  try {
    const { identity, key, body } = form
    if (identity !== undefined) trace.identity = identity.id
    const signed = identity === undefined ? undefined : 'POST'
    const asked = { identity, headers: form.headers, signed, bodyOf: () => body } as const
    return await runRow(service, request, { ...sent, ...asked, target: { ...target, key } })
  } catch (error) {
    await form.close()
    throw error
  }
}

/** Everything behind knowing who asks. */
async function runRow(service: Service, request: WireRequest, identified: Identified): Promise<Result> {
  const { row, target, hostHeader, identity, headers, signed, bodyOf } = identified
  const { requestId, client } = request
  const { query } = target
  const by = identity === undefined ? anonymous : { id: identity.id, name: identity.displayName }
  const store = service.store.as({ by, requestId })
  const subject = parseSubject(row, target, headers)
  const permissions = permissionsOf(row, subject)
  const access = await authorise({
    store,
    subject,
    permissions,
    by,
    asked: askedOf(service, request, identified, subject),
    ...service.access,
  })

  screen(row, { query, headers, presigned: signed === 'REST-QUERY-STRING' })

  const { dialect, options, downloads } = service
  const { people } = service.access
  const body = bodyOf()
  const origin = originOf(request, target, hostHeader)
  // What is spread stands last: V8 has a fast way for that, and none for members that follow.
  const context = {
    store,
    identity,
    by,
    dialect,
    options,
    downloads,
    requestId,
    query,
    headers,
    body,
    client,
    origin,
    people,
    ...access,
    ...subject,
  }
  return run(row, context).catch(hideAbsence(subject, access))
}

/** What conditions of policies can ask about. */
function askedOf(
  { now, options: { region } }: Service,
  { secure, client }: WireRequest,
  { identity, signed, headers, target: { query } }: Identified,
  { source }: Subject,
): AccessRequest['asked'] {
  return { identity, signed, headers, query, secure, region, now, address: client.address, source }
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

/** Who may not list a bucket, or not the keys that begin so, is not told whether a key is in it. */
function hideAbsence({ bucket, key, source }: Subject, { allows }: Access): (error: unknown) => Promise<never> {
  return async (error) => {
    const absent = isStorageError(error, 'NoSuchKey') || isS3Error(error, 'NoSuchKey')
    const place = source ?? (bucket === undefined ? undefined : { bucket, key })
    if (absent && place !== undefined && !(await allows(listing(place)))) throw accessDenied()
    throw error
  }
}

const listing = ({ bucket, key }: { readonly bucket: string; readonly key?: string | undefined }): Permission => ({
  action: 's3:ListBucket',
  bucket,
  ...(key !== undefined && { prefix: key }),
})

function originOf({ secure }: WireRequest, { style, bucket = '' }: Target, host: string): string {
  const own = style === 'virtual' ? host.slice(bucket.length + 1) : host
  return `${secure ? 'https' : 'http'}://${own}`
}
