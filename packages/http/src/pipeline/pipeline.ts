/**
 * The steps of a request, always in this order: target → authenticate → detect, and then in `run-row.ts` authorise →
 * screen → parse → command → answer. A step refuses the request by throwing. The caller turns the error into one
 * answer. Nothing is sent before this function resolves, so no header precedes a refusal.
 */

import { checkBucketName } from '@varve/core'
import { noContentIn } from '../body/empty-body.ts'
import { parsePayloadForm } from '../sigv4/payload-form.ts'
import { checkForkSourceSigned } from '../buckets/fork-source.ts'
import { type Holding, RequestBudget } from '../budgets/request-budget.ts'
import { accessDenied, S3Error } from '../errors/errors.ts'
import { formBoundary } from '../form/boundary.ts'
import { receiveForm } from '../form/receive-form.ts'
import type { Result } from '../contract/answer.ts'
import { requestedMoment } from '../look-back/requested-moment.ts'
import { isAsOfName } from '../look-back/past-subject.ts'
import { detect, isForm, levelOf } from '../operations/detect.ts'
import type { BuiltRow, Level, RequestBody } from '../contract/operation.ts'
import { assertNamed } from './control-request.ts'
import { createRequestBody, holdPassing, noBody } from './request-body.ts'
import { withoutValues } from '../contract/redaction.ts'
import { runRow, type Sent } from './run-row.ts'
import type { Service } from './service-options.ts'
import { checkUnsignedPayload } from '../sigv4/claim-checks.ts'
import { snapshotOperation } from '../tigris/snapshot-operations.ts'
import { type SnapshotRequest, type TigrisRequest, translateTigris } from '../tigris/tigris-headers.ts'
import { unbuiltError } from '../operations/screen.ts'
import { refuseControlApi } from '../target/control-api.ts'
import { parseTarget } from '../target/parse-target.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { noteIdentity, noteTarget } from './note-in-trace.ts'
import type { WireRequest } from '../contract/wire-request.ts'

/** @throws S3Error, StorageError */
export async function runRequest(service: Service, request: WireRequest): Promise<Result> {
  const { method, rawHeaders, trace } = request

  const sentHeaders = createRequestHeaders(rawHeaders)
  const hostHeader = sentHeaders.single('host')
  if (hostHeader === undefined) throw new S3Error('InvalidRequest', 'A request needs a Host header.')
  const target = parseTarget({ rawUrl: request.rawUrl, hostHeader, hostSuffixes: service.hostSuffixes })
  refuseControlApi(method, target, sentHeaders)
  noteTarget(trace, target)
  if (!methods.has(method)) throw unknownMethod(method)

  const { rawPath, query, style } = target
  const level = levelOf(target)
  const hostBucket = style === 'virtual' ? target.bucket : undefined
  const verified = service.verify({ method, rawPath, query, hostBucket, headers: sentHeaders }, service.now())
  const sent = { method, level, bucket: target.bucket, query, headers: sentHeaders }
  const { headers, snapshots, momentText } = understood(sent, rawHeaders, verified)
  if (verified.anonymous) return runAnonymously(service, request, { target, level, hostHeader, headers })

  const { identity, payload, presigned, version: signatureVersion } = verified
  noteIdentity(trace, identity)
  service.identities.begin(identity, request.client)
  service.rateLimits.takeOfIdentity(identity.id)
  const row =
    snapshots === undefined
      ? detect({ method, level, query, headers })
      : snapshotRow(service, request, { identity, headers, target }, snapshots)
  trace.operation = row.name
  if (row.handler === undefined) throw unbuiltError(row, query)
  if (isForm(row)) throw signedOtherwise(sentHeaders)
  const bodyOf = (budget: Holding): RequestBody =>
    row.body === undefined
      ? noBody
      : createRequestBody(request.body, {
          kind: row.body,
          headers,
          payload,
          ...(verified.version === 'AWS4-HMAC-SHA256' && { seed: verified }),
          hashing: service.hashing,
          budget,
          smallChunks: service.dialect.smallChunks === 'accepted',
        })
  const signed = presigned ? 'REST-QUERY-STRING' : 'REST-HEADER'
  const place = snapshots === undefined ? target : { ...target, bucket: snapshots.bucket }
  const assertNoContent = noContentIn(request.body, headers)
  const call = { row, bodyOf, assertNoContent } as const
  const identified = { ...call, target: place, hostHeader, identity, headers, signed, signatureVersion } as const
  return runRow(service, request, momentText === undefined ? identified : { ...identified, momentText })
}

/**
 * What the headers mean. Those that say more than S3's count only if a V4 signature covers them. Written without spreads, because
 * this runs for every request.
 */
function understood(
  { method, level, bucket, query, headers: sent }: Omit<TigrisRequest, 'signed'>,
  rawHeaders: readonly string[],
  verified: ReturnType<Service['verify']>,
) {
  const signed = !verified.anonymous && verified.version !== 'AWS'
  const hoisted = verified.anonymous ? [] : verified.hoisted
  const received = hoisted.length === 0 ? sent : createRequestHeaders(rawHeaders, hoisted)
  const { headers, snapshots } = translateTigris({ method, level, bucket, query, headers: received, signed })
  checkForkSourceSigned(headers, signed)
  return { headers, snapshots, momentText: requestedMoment({ headers, query }, signed) }
}

/** @throws S3Error `AccessDenied`, `NotImplemented`; StorageError `InvalidBucketName` */
function snapshotRow(
  service: Service,
  request: WireRequest,
  signed: Parameters<typeof assertNamed>[2],
  snapshots: SnapshotRequest,
): BuiltRow {
  const { action, row } = snapshotOperation(service.control, snapshots)
  assertNamed(service, request, signed, { action, resource: { bucket: snapshots.bucket } })
  return row
}

/** A request without credentials is anonymous, unless it is a form, which contains its credentials. */
async function runAnonymously(service: Service, request: WireRequest, sent: Sent & { level: Level }): Promise<Result> {
  const { method, trace } = request
  const { target, level, headers } = sent
  const row = detect({ method, level, query: target.query, headers })
  trace.operation = row.name
  if (row.handler === undefined) throw accessDenied()
  if (isForm(row)) return runForm(service, request, { ...sent, row })
  const payload = parsePayloadForm(headers.single('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD')
  if (payload.kind.startsWith('streaming-signed')) throw accessDenied()
  const { hashing, signers } = service
  const smallChunks = service.dialect.smallChunks === 'accepted'
  const bodyOf = (budget: Holding): RequestBody => {
    if (row.body === undefined) return noBody
    if (signers.unsignedPayload === 'refuse') checkUnsignedPayload(method, { kind: 'unsigned' })
    return createRequestBody(request.body, { kind: row.body, headers, payload, hashing, budget, smallChunks })
  }
  const assertNoContent = noContentIn(request.body, headers)
  return runRow(service, request, { ...sent, row, identity: undefined, signed: undefined, bodyOf, assertNoContent })
}

async function runForm(service: Service, request: WireRequest, sent: Sent & { row: BuiltRow }): Promise<Result> {
  const { trace } = request
  const { target, headers } = sent
  const { bucket = '' } = target
  if (!isAsOfName(bucket)) checkBucketName(bucket)
  const now = service.now()
  const budget = new RequestBudget(service.budgets, request.client, undefined)
  const holdDocument = (bytes: number): void => budget.holdDocument(bytes)
  const form = await receiveForm(request.body, {
    bucket,
    headers,
    now,
    holdDocument,
    hashing: service.hashing,
    ...service.signers,
  })
  try {
    const { identity, signatureVersion, key, body } = form
    noteTarget(trace, { bucket, key })
    if (identity !== undefined) {
      noteIdentity(trace, identity)
      service.identities.begin(identity, request.client)
      service.rateLimits.takeOfIdentity(identity.id)
    }
    const signed = identity === undefined ? undefined : 'POST'
    const bodyOf = (budget: Holding): RequestBody => ({
      ...body,
      stream() {
        holdPassing(body.length, budget)
        return body.stream()
      },
    })
    // The body is the form.
    const assertNoContent = async (): Promise<void> => undefined
    const identified = { identity, headers: form.headers, signed, signatureVersion, bodyOf, assertNoContent } as const
    return await runRow(service, request, { ...sent, ...identified, target: { ...target, key } })
  } catch (error) {
    await form.close()
    throw withoutValues(
      error,
      form.headers.names.map((name) => [name, form.headers.values(name).join(',')] as const),
    )
  }
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** A form carries its signature in a field. A form whose headers or URL are signed too is refused. */
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
  })
}
