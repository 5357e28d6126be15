/**
 * The console: a page that works with the store by signed requests, like any other client. Its files are the same for
 * everyone, and contain nothing of the store. A browser at `/` is sent to it.
 */

import type { Answer, AnswerHeaders } from '../contract/answer.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import { S3Error } from '../errors/errors.ts'
import { weakEtags } from '../headers/etags.ts'
import { bucketOfHost } from '../target/parse-target.ts'
import { createRequestHeaders, type RequestHeaders } from '../target/request-headers.ts'
import { type ConsoleFile, type ConsoleFiles, type ConsoleForm, indexName } from './console-files.ts'

/** No bucket can have this name. */
const folder = '/-/console/'

/** The part of a service that the console needs. */
export interface ConsoleHost {
  /** Absent: there is no console. */
  readonly console: (() => Promise<ConsoleFiles | undefined>) | undefined
  readonly hostSuffixes: readonly string[]
}

/** On the host of a bucket, the path is a key. */
export function isConsoleRequest({ console: files, hostSuffixes }: ConsoleHost, request: WireRequest): boolean {
  const { rawUrl } = request
  if (files === undefined || (rawUrl !== '/' && !isWithin(rawUrl))) return false
  const headers = createRequestHeaders(request.rawHeaders)
  if (bucketOfHost(headers.get('host'), hostSuffixes) !== undefined) return false
  return rawUrl !== '/' || isVisit(request, headers)
}

/** @throws S3Error `MethodNotAllowed`; what reading the files throws */
export async function answerConsole({ console: files }: ConsoleHost, request: WireRequest): Promise<Answer> {
  const { method, rawUrl, rawHeaders, trace } = request
  trace.operation = 'Console'
  if (rawUrl === '/') return redirectTo(`.${folder}`)
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method)
  const path = pathOf(rawUrl)
  if (path.length < folder.length) return redirectTo('console/')
  const found = await files?.()
  if (found === undefined) return page(404, notBuilt)
  const name = path.slice(folder.length) || indexName
  const file = found.get(name)
  return file === undefined ? page(404, notThere) : fileAnswer(name, file, createRequestHeaders(rawHeaders))
}

function pathOf(rawUrl: string): string {
  const mark = rawUrl.indexOf('?')
  return mark === -1 ? rawUrl : rawUrl.slice(0, mark)
}

function isWithin(rawUrl: string): boolean {
  return rawUrl.startsWith(folder) || (rawUrl.startsWith(folder.slice(0, -1)) && pathOf(rawUrl).length < folder.length)
}

/** A person opens the address of the server: nothing is signed, so S3 would only refuse it. */
function isVisit({ method }: WireRequest, headers: RequestHeaders): boolean {
  const isPage = (headers.get('accept') ?? '').toLowerCase().includes('text/html')
  return (method === 'GET' || method === 'HEAD') && isPage && headers.get('authorization') === undefined
}

/** Relative, so that it holds behind a proxy that removes a prefix from the path. */
const redirectTo = (location: string): Answer => ({
  status: 302,
  headers: { ...protection, location, 'cache-control': 'no-store', vary: 'Accept, Authorization' },
})

/** Vite puts a digest into the names of these. */
const hasDigest = (name: string): boolean => name.startsWith('assets/')

function fileAnswer(name: string, { contentType, forms }: ConsoleFile, headers: RequestHeaders): Answer {
  const { encoding, bytes, etag } = formFor(forms, headers.get('accept-encoding') ?? '')
  const cached: AnswerHeaders = {
    ...protection,
    etag,
    'cache-control': hasDigest(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
  }
  const known = weakEtags(headers.get('if-none-match') ?? '')
  if (known.includes('*') || known.includes(etag.slice(1, -1))) return { status: 304, headers: cached }
  return {
    status: 200,
    headers: { ...cached, 'content-type': contentType, ...(encoding && { 'content-encoding': encoding }) },
    body: bytes,
    contentLength: bytes.length,
  }
}

/** The first form that the client takes. Without a word about it, a client takes only the file as it is. */
function formFor(forms: readonly ConsoleForm[], acceptEncoding: string): ConsoleForm {
  const taken = new Set(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((word) => word.split(';').map((part) => part.trim()))
      .filter(([, weight = '']) => !/^q=0(\.0*)?$/.test(weight))
      .map(([name]) => name),
  )
  return forms.find(({ encoding }) => encoding === undefined || taken.has(encoding)) as ConsoleForm
}

/**
 * Only files of this server run, and they talk to this server alone. Objects are shown from `blob:` URLs. No other page can
 * hold the console in a frame or keep a handle on its window, not even a public object of the same origin.
 */
const protection: AnswerHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    'frame-src blob:',
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const notBuilt = 'The console is not built here. In a checkout, run `npm run build -w @varve/console`.'
const notThere = 'The console has no such file.'

const page = (status: number, text: string): Answer => ({
  status,
  headers: { ...protection, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: `${text}\n`,
})

const notAllowed = (method: string): S3Error =>
  new S3Error('MethodNotAllowed', 'The console is only read.', {
    details: { Method: method },
    headers: { allow: 'GET, HEAD' },
  })
