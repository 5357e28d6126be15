/** Turns a request into a response. It never rejects, so every request gets one answer. */

import { withoutSecrets } from '../contract/redaction.ts'
import { keptAlive } from './keep-alive.ts'
import { errorAnswer } from './error-answer.ts'
import { withRegionOfBucket } from './head-bucket-region.ts'
import { wireResponse } from './wire-response.ts'
import type { WireResponse } from './wire-response.ts'
import { crossOriginHeaders, isCrossOrigin, preflight, varyHeaders } from './cross-origin.ts'
import type { Answer, AnswerHeaders } from '../contract/answer.ts'
import { answerConsole, isConsoleRequest } from '../console/answer-console.ts'
import { answerControlRequest, failureAnswer, isControlRequest } from '../pipeline/control-request.ts'
import { answerLogRequest, isLogRequest, namesBucket } from '../pipeline/log-request.ts'
import { runRequest } from '../pipeline/pipeline.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { Trace } from '../contract/trace.ts'
import type { Service } from '../pipeline/service-options.ts'
import { answerSts, isStsRequest } from '../sts/answer-sts.ts'
import { stsErrorAnswer } from '../sts/sts-error.ts'
import { serveWebsite, siteOf } from '../website/serve-website.ts'

export interface RespondOptions {
  /** Called with the error, before it becomes an answer. */
  readonly onError?: (error: unknown) => void
}

export async function respond(
  service: Service,
  request: WireRequest,
  { onError }: RespondOptions = {},
): Promise<WireResponse> {
  const { method, requestId } = request
  const place = { resource: resourceOf(request.rawUrl), requestId }
  const guard = service.guard(request.rawHeaders)
  let origin: AnswerHeaders | undefined
  // The answer shows at least what the store had when the request came.
  const followed = service.followedPosition?.()
  const rendered = (answer: Answer, vary: AnswerHeaders | undefined): WireResponse => {
    const positions = positionHeaders(request.trace, answer, followed)
    const isWhole = origin === undefined && positions === undefined && vary === undefined
    const headers = isWhole ? answer.headers : Object.assign({}, answer.headers, vary, origin, positions)
    return wireResponse(isWhole ? answer : { ...answer, headers }, { method, requestId, now: service.now(), guard })
  }
  const render = (answer: Answer): WireResponse | Promise<WireResponse> => {
    const vary = varyHeaders(service, request)
    return vary instanceof Promise ? vary.then((found) => rendered(answer, found)) : rendered(answer, vary)
  }
  try {
    service.rateLimits.takeOfAddress(request.client.address)
    const known = service.identitiesKnown()
    if (known !== undefined) await known
    if (method === 'OPTIONS') return render(await preflight(service, request))
    if (isCrossOrigin(request)) origin = await crossOriginHeaders(service, request)
    const answering = answerOfOthers(service, request, (error) => onError?.(error))
    const other = answering && (await answering)
    if (other !== undefined) return render(other)
    const result = await runRequest(service, request)
    if (!('slow' in result)) return render(result)
    const { keepAliveAfterMs: afterMs, keepAliveEveryMs: everyMs } = service.options
    const slow = result.slow.catch((error: unknown) => {
      throw withoutSecrets(error, request)
    })
    return render(
      await keptAlive({ ...result, slow }, { ...place, afterMs, everyMs, ...(onError && { onLateError: onError }) }),
    )
  } catch (thrown) {
    const error = withoutSecrets(thrown, request)
    onError?.(error)
    return render(await withRegionOfBucket(service, request, errorInForm(service, request, error, place)))
  }
}

/** An error from before the request was handed on, in the form of whoever would have answered it. */
function errorInForm(
  service: Service,
  request: WireRequest,
  error: unknown,
  place: Parameters<typeof errorAnswer>[1],
): Answer {
  if (isStsRequest(service, request)) return stsErrorAnswer(error, request.requestId)
  const isOfControl = isLogRequest(service, request) || isControlRequest(service, request)
  return isOfControl && !isOfBucket(service, request) ? failureAnswer(error) : errorAnswer(error, place)
}

function isOfBucket(service: Service, request: WireRequest): boolean {
  try {
    return namesBucket(service, request)
  } catch {
    return false
  }
}

/** The answer of a website, STS, the console, the log or the control API; `undefined`, mostly at once, for requests of S3. */
function answerOfOthers(
  service: Service,
  request: WireRequest,
  onError: (error: unknown) => void,
): Promise<Answer | undefined> | undefined {
  const site = siteOf(service, request)
  if (site !== undefined) return serveWebsite(service, request, site, onError)
  if (isStsRequest(service, request)) return answerSts(service, request, onError)
  if (isConsoleRequest(service, request)) return answerConsole(service, request)
  if (isLogRequest(service, request)) return answerLogRequest(service, request, onError)
  return isControlRequest(service, request) ? answerControlRequest(service, request, onError) : undefined
}

/** The position that was read, the position of the last event that was written, and that of a store that follows another one. */
function positionHeaders(
  { at, seq }: Trace,
  { status }: Answer,
  followed: number | undefined,
): AnswerHeaders | undefined {
  const own = followed !== undefined && { 'x-varve-position': String(followed) }
  if (at !== undefined) return { 'x-varve-at': String(at), ...own }
  if (seq === undefined || status >= 300) return own || undefined
  return { 'x-varve-seq': String(seq), ...own }
}

/** Without the query, which may hold a signature. */
function resourceOf(rawUrl: string): string {
  const mark = rawUrl.indexOf('?')
  return mark === -1 ? rawUrl : rawUrl.slice(0, mark)
}
