/** Objects of a store as answers to a page's requests. Knows nothing of Electron, so it is tested without. */
import { Readable } from 'node:stream'
import { isStorageError, toReadable } from 'varve'

const statuses = new Map([
  ['NoSuchBucket', 404],
  ['NoSuchKey', 404],
  ['InvalidBucketName', 400],
  ['KeyTooLongError', 400],
  ['NoSpace', 507],
  ['StoreFailed', 503],
  ['StoreClosed', 503],
])

/** `page` is what `varve://app/` shows. */
export function createProtocolHandler(store, page) {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/') return new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    try {
      const [, folder, bucket, ...key] = pathname.split('/').map(decodeURIComponent)
      if (folder !== 'objects' || bucket === undefined) return new Response('Not here.', { status: 404 })
      return await answer(store, request, bucket, key.join('/'))
    } catch (error) {
      if (error instanceof URIError) return new Response('Not an address.', { status: 400 })
      if (!isStorageError(error)) throw error
      return new Response(error.message, { status: statuses.get(error.code) ?? 500 })
    }
  }
}

async function answer(store, { method, body, headers }, bucket, key) {
  if (method === 'PUT') {
    const contentType = headers.get('content-type') ?? 'application/octet-stream'
    const { etag } = await store.objects.put(bucket, key, body ?? '', { contentType })
    return new Response(null, { status: 204, headers: { etag: `"${etag}"` } })
  }
  if (method === 'DELETE') {
    await store.objects.delete(bucket, key)
    return new Response(null, { status: 204 })
  }
  if (method !== 'GET') return new Response('GET, PUT or DELETE.', { status: 405 })
  if (key === '') return Response.json(await keysOf(store, bucket))
  const content = await store.objects.get(bucket, key)
  const contentType = content.contentType ?? 'application/octet-stream'
  return new Response(Readable.toWeb(toReadable(content)), {
    headers: { 'content-type': contentType, 'content-length': String(content.size), etag: `"${content.etag}"` },
  })
}

async function keysOf(store, bucket) {
  const keys = []
  for await (const entry of store.objects.list(bucket)) keys.push(entry.key)
  return keys
}
