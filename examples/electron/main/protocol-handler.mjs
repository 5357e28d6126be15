/**
 * Requests of the page, answered from the store: `varve://app/objects/BUCKET/KEY` and the like. Knows nothing of Electron.
 * Videos seek by ranges, pictures are not read again if they have not changed.
 */
import { Readable } from 'node:stream'
import { isStorageError, toReadable } from 'varve'
import { conditionsOf, isSame, rangeOf } from './read-request.mjs'

const statuses = new Map([
  ['NotModified', 304],
  ['InvalidArgument', 400],
  ['InvalidBucketName', 400],
  ['KeyTooLongError', 400],
  ['NoSuchBucket', 404],
  ['NoSuchKey', 404],
  ['NoSuchVersion', 404],
  ['MethodNotAllowed', 404],
  ['UndoConflict', 409],
  ['PreconditionFailed', 412],
  ['InvalidRange', 416],
  ['StoreFailed', 503],
  ['StoreClosed', 503],
  ['StoreLocked', 503],
  ['NoSpace', 507],
])

/** An object may be a page of anyone: it gets an origin of its own, runs no script, and its type is not guessed. */
const objectHeaders = {
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** @param {{ use: any, actions: ReturnType<typeof import('./actions.mjs').createActions>, page: ReadonlyMap<string, { body: Uint8Array<ArrayBuffer>, headers: Record<string, string> }> }} parts */
export function createProtocolHandler({ use, actions, page }) {
  const routes = {
    objects: (request, place) => objectRoute({ use, actions }, request, place),
    versions: (request, place) => versionsRoute({ use, actions }, request, place),
    undo: (request) => stepRoute(request, actions.undo),
    redo: (request) => stepRoute(request, actions.redo),
  }
  /** @param {Request} request */
  return async (request) => {
    const url = new URL(request.url)
    const file = page.get(url.pathname)
    if (file !== undefined && isRead(request)) {
      return new Response(request.method === 'HEAD' ? null : file.body, { headers: file.headers })
    }
    try {
      const [folder, bucket = '', ...key] = url.pathname.slice(1).split('/').map(decodeURIComponent)
      const route = Object.hasOwn(routes, folder) ? routes[folder] : undefined
      if (route === undefined) return refusal(404, 'Not here.')
      return await route(request, {
        bucket,
        key: key.join('/'),
        versionId: url.searchParams.get('versionId') ?? undefined,
      })
    } catch (error) {
      if (error instanceof URIError) return refusal(400, 'Not an address.')
      if (!isStorageError(error)) throw error
      return refused(error)
    }
  }
}

const isRead = ({ method }) => method === 'GET' || method === 'HEAD'

async function objectRoute({ use, actions }, request, { bucket, key, versionId }) {
  const { method, body, headers, signal } = request
  if (isRead(request)) {
    if (key === '') return Response.json(await use((store) => entriesOf(store, bucket)))
    return use((store) => readObject(store, request, { bucket, key, versionId }))
  }
  if (key === '' || versionId !== undefined) return refusal(405, 'Versions and folders are only read.')
  if (method === 'PUT') {
    const contentType = headers.get('content-type') ?? 'application/octet-stream'
    const { etag } = await actions.put(bucket, key, body ?? '', { contentType, signal })
    return new Response(null, { status: 204, headers: { etag: `"${etag}"` } })
  }
  if (method !== 'DELETE') return refusal(405, 'GET, HEAD, PUT or DELETE.')
  await actions.remove(bucket, key)
  return new Response(null, { status: 204 })
}

async function readObject(store, { method, headers, signal }, { bucket, key, versionId }) {
  const options = { ...conditionsOf(headers), ...(versionId !== undefined && { versionId }), signal }
  const requested = rangeOf(headers)
  // Without `If-Range`, one call answers; with it, the range counts only for the object that the client knows.
  const current = requested && headers.has('if-range') ? await store.objects.head(bucket, key, options) : undefined
  const range = requested && (current === undefined || isSame(headers, current)) ? requested : undefined
  const reading = { ...options, ...(range && { range }), ...(current && { ifMatch: [current.etag] }) }
  if (method === 'HEAD') return answer(await store.objects.head(bucket, key, reading), null)
  const content = await store.objects.get(bucket, key, reading)
  return answer(content, Readable.toWeb(toReadable(content)))
}

function answer({ contentType, size, etag, lastModified, range }, body) {
  const part = range && { 'content-range': `bytes ${range.start}-${range.end - 1}/${size}` }
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...objectHeaders,
      'content-type': contentType ?? 'application/octet-stream',
      'content-length': String(range ? range.end - range.start : size),
      etag: `"${etag}"`,
      'last-modified': lastModified.toUTCString(),
      ...part,
    },
  })
}

async function versionsRoute({ use, actions }, request, { bucket, key, versionId }) {
  if (request.method === 'GET') return Response.json(await use((store) => versionsOf(store, bucket, key)))
  if (request.method !== 'POST' || versionId === undefined) return refusal(405, 'GET, or POST with a version.')
  await actions.restore(bucket, key, versionId)
  return new Response(null, { status: 204 })
}

async function stepRoute(request, step) {
  return request.method === 'POST' ? Response.json(await step()) : refusal(405, 'POST.')
}

async function entriesOf(store, bucket) {
  const entries = []
  for await (const { key, size, lastModified } of store.objects.list(bucket)) entries.push({ key, size, lastModified })
  return entries
}

async function versionsOf(store, bucket, key) {
  const versions = []
  for await (const version of store.versions.list(bucket, { prefix: key })) {
    if (version.key !== key) break
    const { kind, versionId, lastModified, isLatest } = version
    versions.push({ kind, versionId, lastModified, isLatest, ...(kind === 'version' && { size: version.size }) })
  }
  return versions
}

const refusal = (status, text, headers = {}) => new Response(text, { status, headers })

function refused({ code, message, details }) {
  const status = statuses.get(code) ?? 500
  if (status === 304) return new Response(null, { status, headers: { etag: `"${details['ETag']}"` } })
  const size = details['ActualObjectSize']
  return refusal(status, message, status === 416 && size !== undefined ? { 'content-range': `bytes */${size}` } : {})
}
