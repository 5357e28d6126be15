/**
 * Serves buckets as websites, on hosts of their own: pages for browsers, an index document for paths that end in a
 * slash, redirects, and errors in HTML. Websites have no authentication: every page is read with the permissions of an
 * anonymous request, so the site contains only objects that everybody may read.
 */

import { checkBucketName, isStorageError } from '@varve/core'
import type { WebsiteConfiguration } from '@varve/core'
import { toWireError } from '../errors/wire-error.ts'
import { S3Error } from '../errors/errors.ts'
import { redirectAsConfigured, redirectToPath } from '../contract/redirect.ts'
import type { Answer } from '../contract/answer.ts'
import { runRequest } from '../pipeline/pipeline.ts'
import { withoutSecrets } from '../contract/redaction.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { Service } from '../pipeline/service-options.ts'
import { bucketOfHost, parseTarget } from '../target/parse-target.ts'
import { encodePath } from '../target/percent.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { errorPage } from './error-page.ts'
import { redirectAll, redirectByRule, routingRule } from './routing.ts'
import type { SiteAddress } from './routing.ts'

export interface Site {
  readonly bucket: string
  readonly address: SiteAddress
}

/** The site that a request is for. Does nothing if no hosts are configured for websites. */
export function siteOf({ websiteSuffixes }: Service, { rawHeaders, secure }: WireRequest): Site | undefined {
  if (websiteSuffixes.length === 0) return undefined
  const hosts = createRequestHeaders(rawHeaders).values('host')
  const [host = ''] = hosts
  const bucket = hosts.length === 1 ? bucketOfHost(host, websiteSuffixes) : undefined
  return bucket === undefined ? undefined : { bucket, address: { secure, host } }
}

/** Never rejects; `onError` receives the errors. */
export async function serveWebsite(
  service: Service,
  request: WireRequest,
  site: Site,
  onError: (error: unknown) => void,
): Promise<Answer> {
  try {
    return await pageOf(service, request, site)
  } catch (error) {
    const safe = withoutSecrets(error, request)
    onError(safe)
    return errorPage(safe, request.requestId)
  }
}

async function pageOf(service: Service, request: WireRequest, { bucket, address }: Site): Promise<Answer> {
  const { method, rawUrl, trace } = request
  trace.operation = 'Website'
  trace.bucket = bucket
  const website = await websiteOf(service, bucket)
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method)
  const { redirectAllTo, indexSuffix = '' } = website
  if (redirectAllTo !== undefined) return redirectAll(redirectAllTo, rawUrl, address)

  const { key = '' } = parseTarget({ rawUrl, hostHeader: `b.${siteHost}`, hostSuffixes: [siteHost] })
  const rule = routingRule(website, key)
  if (rule !== undefined) return redirectByRule(rule, key, address)

  const read: Visit['read'] = (name, how) => readPage(service, how, `/${bucket}/${encodePath(name)}`)
  try {
    return await read(isFolder(key) ? `${key}${indexSuffix}` : key, request)
  } catch (error) {
    return insteadOf(error, { website, key, address, request, read })
  }
}

/** A fixed host name that replaces the site's host, so that the parsed path does not depend on that host. */
const siteHost = 'site'

const isFolder = (key: string): boolean => key === '' || key.endsWith('/')

interface Visit {
  readonly website: WebsiteConfiguration
  /** The key, as it was requested. */
  readonly key: string
  readonly address: SiteAddress
  readonly request: WireRequest
  readonly read: (key: string, how: WireRequest) => Promise<Answer>
}

/** The answer when there is no page: a redirect to the folder of that name, the target of a rule, or the error. */
async function insteadOf(error: unknown, visit: Visit): Promise<Answer> {
  const { website, key, address } = visit
  const { status } = toWireError(error)
  const isMissing = status === 404 || status === 403
  if (isMissing && !isFolder(key) && (await hasIndex(visit))) {
    return redirectToPath(302, `/${encodePath(key)}/`)
  }
  const rule = routingRule(website, key, status)
  if (rule !== undefined) return redirectByRule(rule, key, address)
  if (status < 400 || status >= 500) throw error
  return ownErrorPage(error, visit)
}

function hasIndex({ website: { indexSuffix = '' }, key, request, read }: Visit): Promise<boolean> {
  return read(`${key}/${indexSuffix}`, { ...request, method: 'HEAD', rawHeaders: judgedOf(request) }).then(
    () => true,
    () => false,
  )
}

/** The site's own error document, if it has one, with the status of this error. */
async function ownErrorPage(error: unknown, { website: { errorKey }, request, read }: Visit): Promise<Answer> {
  if (errorKey === undefined) throw error
  try {
    const page = await read(errorKey, { ...request, rawHeaders: judgedOf(request) })
    return page.status === 301 ? page : { ...page, status: toWireError(error).status }
  } catch (besides) {
    if (toWireError(besides).status >= 500) throw besides
    return errorPage(error, request.requestId, besides)
  }
}

/**
 * Reads an object as an anonymous request. An object with a redirect answers with that redirect, whatever range and
 * conditions the request has: RFC 9110 (13.2.1, 14.2) applies those only to pages.
 * @throws S3Error, StorageError
 */
async function readPage(service: Service, request: WireRequest, rawUrl: string): Promise<Answer> {
  const read = async (method: string, names: readonly string[]): Promise<Answer> => {
    const rawHeaders = ['host', siteHost, ...only(names, request)]
    const result = await runRequest(service, { ...request, method, rawUrl, rawHeaders, trace: {} })
    return 'slow' in result ? result.slow : result
  }
  const first = await read(request.method, [...conditional, ...judged]).catch((error: unknown) => ({ error }))
  const isUnread = unread.has('error' in first ? toWireError(first.error).status : first.status)
  const seen = isUnread ? await read('HEAD', judged) : first
  if ('error' in seen) throw seen.error
  const { [redirectHeader]: location, ...headers } = seen.headers ?? {}
  if (location !== undefined) {
    await letGo(seen.body)
    return redirectAsConfigured(301, location)
  }
  if ('error' in first) throw first.error
  return isUnread ? first : { ...first, headers }
}

/** The results of conditions and ranges. They do not tell whether the object has a redirect. */
const unread: ReadonlySet<number> = new Set([304, 412, 416])

const redirectHeader = 'x-amz-website-redirect-location'
/** Headers that conditions of policies can use. */
const judged = ['referer', 'user-agent']
const conditional = ['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'range']

const judgedOf = (request: WireRequest): readonly string[] => only(judged, request)

function only(names: readonly string[], { rawHeaders }: WireRequest): readonly string[] {
  const sent = createRequestHeaders(rawHeaders)
  return names.flatMap((name) => sent.values(name).flatMap((value) => [name, value]))
}

async function letGo(body: Answer['body']): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return
  await body[Symbol.asyncIterator]().return?.()
}

/** @throws S3Error `NoSuchWebsiteConfiguration`; StorageError `NoSuchBucket`, also for an invalid bucket name. */
async function websiteOf({ store }: Service, bucket: string): Promise<WebsiteConfiguration> {
  try {
    checkBucketName(bucket)
    const website = await store.buckets.settings.get(bucket, 'Website')
    if (website !== undefined) return website
  } catch (error) {
    if (!isStorageError(error, 'InvalidBucketName')) throw error
    throw new S3Error('NoSuchBucket', 'The specified bucket does not exist', { details: { BucketName: bucket } })
  }
  throw new S3Error('NoSuchWebsiteConfiguration', 'The specified bucket does not have a website configuration', {
    details: { BucketName: bucket },
  })
}

function notAllowed(method: string): S3Error {
  return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { Method: method, ResourceType: 'OBJECT' },
    headers: { allow: 'GET, HEAD' },
  })
}
