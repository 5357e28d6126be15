/**
 * CORS requests, from pages of another origin. The browser enforces the headers of the answer, so only preflight
 * requests are refused here. A page must be able to read errors too, so errors have the same headers.
 */

import { isPresent } from '../access/judged-buckets.ts'
import { checkBucketName, corsMethods, isHeaderName, isStorageError, parseAsOfName } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { Answer, AnswerHeaders } from '../contract/answer.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { Service } from '../pipeline/service-options.ts'
import { parseTarget, type Target, type TargetInput } from '../target/parse-target.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { corsHeaders, varyByOrigin } from '../cors/cors-headers.ts'
import { matchingRule } from '../cors/match.ts'
import type { PreparedRules } from '../cors/match.ts'
import type { CrossOriginRequest } from '../cors/match.ts'

/** Runs for every request, so it mostly compares only the lengths of header names. */
export function isCrossOrigin({ rawHeaders }: WireRequest): boolean {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 6 && name.toLowerCase() === 'origin') return true
  }
  return false
}

/** The CORS headers of an answer; none if no rule matches. Never rejects. */
export async function crossOriginHeaders(service: Service, request: WireRequest): Promise<AnswerHeaders> {
  try {
    const received = readRequest(service, request, bucketIn)
    const rules = await rulesOf(service, received.bucket)
    request.hasCorsRules = rules !== undefined
    const rule = await matchingRule(rules ?? [], received)
    return rule === undefined ? {} : corsHeaders(rule, received)
  } catch {
    // The request itself fails with this error; the answer has no CORS headers.
    return {}
  }
}

/**
 * `Vary`, if the bucket of the request has rules. It depends only on the bucket, whatever the request and the answer.
 * Returns synchronously if the bucket is known, which is so for most requests. Never rejects.
 */
export function varyHeaders(
  service: Service,
  request: WireRequest,
): AnswerHeaders | undefined | Promise<AnswerHeaders | undefined> {
  const { trace, hasCorsRules } = request
  if (hasCorsRules !== undefined) return varyIf(hasCorsRules)
  const bucket = trace.isControl === true ? undefined : (trace.bucket ?? bucketOfPath(service, request))
  if (bucket === undefined) return undefined
  const known = service.access.buckets.known(bucket)
  if (known !== undefined) return varyIf(known.bucket.settings?.Cors !== undefined)
  return hasRules(service, bucket).then(varyIf, () => undefined)
}

const varyIf = (hasRules: boolean): AnswerHeaders | undefined => (hasRules ? varyByOrigin : undefined)

/** The trace of a preflight request names no bucket, and neither does that of a request whose target cannot be read. */
function bucketOfPath(service: Service, request: WireRequest): string | undefined {
  try {
    return readRequest(service, request, bucketIn).bucket
  } catch {
    return undefined
  }
}

/** @throws StorageError `InvalidBucketName` */
async function hasRules(service: Pick<Service, 'access' | 'store'>, bucket: string): Promise<boolean> {
  const past = parseAsOfName(bucket)
  if (past === undefined) checkBucketName(bucket)
  const found = await service.access.buckets.find(service.store, bucket)
  if (isPresent(found)) return found.bucket.settings?.Cors !== undefined
  return past !== undefined && hasRules(service, past.bucket)
}

/**
 * The answer to a preflight request, which never has credentials.
 * @throws S3Error `BadRequest`, `AccessForbidden`, `InvalidURI`
 */
export async function preflight(service: Service, request: WireRequest): Promise<Answer> {
  request.trace.operation = 'Preflight'
  const { bucket, resourceType, announced, ...received } = readRequest(service, request)
  if (received.origin === '') {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  }
  if (announced) checkAnnounced(received)
  const rules = await rulesOf(service, bucket).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchBucket', 'InvalidBucketName'))
      throw forbidden('Bucket not found', received, 'BUCKET')
    throw error
  })
  request.hasCorsRules = rules !== undefined
  if (rules === undefined) throw forbidden('CORS is not enabled for this bucket.', received, 'BUCKET')
  if (!announced) throw new S3Error('BadRequest', 'Invalid Access-Control-Request-Method: null')
  const rule = await matchingRule(rules, received)
  if (rule === undefined) throw forbidden(notAllowed, received, resourceType)
  return emptyAnswer(200, corsHeaders(rule, received))
}

/** Checked before the bucket is read, as in S3. */
function checkAnnounced({ method, headers }: CrossOriginRequest): void {
  if (!corsMethods.has(method)) throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method}`)
  const wrong = headers.find((name) => !isHeaderName(name))
  if (wrong !== undefined) throw new S3Error('BadRequest', `Invalid Access-Control-Request-Headers: ${wrong}`)
}

const notAllowed =
  'This CORS request is not allowed. This is usually because the evalution of Origin, request method / ' +
  "Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec."

interface ReceivedRequest extends CrossOriginRequest {
  readonly bucket: string
  readonly resourceType: string
  /** Whether the request is a preflight request. */
  readonly announced: boolean
}

/** Rules depend on the bucket alone. A page may read the error for a key that cannot be read. */
function bucketIn(target: TargetInput): Target {
  try {
    return parseTarget(target)
  } catch {
    const { rawUrl } = target
    const end = rawUrl.indexOf('/', 1)
    return parseTarget({ ...target, rawUrl: end === -1 ? '/' : rawUrl.slice(0, end) })
  }
}

/** A request that announces another one is checked as the announced request, as in S3. */
function readRequest(
  { hostSuffixes: own, websiteSuffixes }: Service,
  { rawUrl, rawHeaders, method, client }: WireRequest,
  parse: (input: TargetInput) => Target = parseTarget,
): ReceivedRequest {
  const headers = createRequestHeaders(rawHeaders)
  const hostSuffixes = [...own, ...websiteSuffixes]
  // Rules depend on the path alone. A page may read the error for a query that cannot be read.
  const [rawPath = ''] = rawUrl.split('?', 1)
  const { bucket = '', key } = parse({ rawUrl: rawPath, hostHeader: headers.single('host'), hostSuffixes })
  const announced = headers.get('access-control-request-method')
  return {
    bucket,
    resourceType: key === undefined ? 'BUCKET' : 'OBJECT',
    announced: announced !== undefined,
    origin: headers.get('origin') ?? '',
    method: announced ?? method,
    headers: listOf(headers.get('access-control-request-headers')),
    address: client.address,
  }
}

function listOf(header = ''): readonly string[] {
  return header
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
}

/** @throws StorageError `NoSuchBucket`, `InvalidBucketName` */
async function rulesOf(
  { corsRules, store }: Pick<Service, 'corsRules' | 'store'>,
  bucket: string,
): Promise<PreparedRules | undefined> {
  const past = parseAsOfName(bucket)
  if (past === undefined) {
    checkBucketName(bucket)
    return corsRules.read(store, bucket)
  }
  // The rules of today count for a bucket as it was. A bucket that really has such a name has its own.
  return corsRules.read(store, bucket).catch((error: unknown) => {
    if (!isStorageError(error, 'NoSuchBucket')) throw error
    return rulesOf({ corsRules, store }, past.bucket)
  })
}

function forbidden(message: string, { method }: CrossOriginRequest, resourceType: string): S3Error {
  return new S3Error('AccessForbidden', `CORSResponse: ${message}`, {
    details: { Method: method, ResourceType: resourceType },
  })
}
