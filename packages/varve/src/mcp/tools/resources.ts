/** The objects of a session as resources. */
import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import { StorageError } from '@varve/core'
import { shownBytesMax, textIn } from '../session/content.ts'
import { parseResourceUri, resourceUri } from '../session/resource-uris.ts'
import type { ToolCall } from './tool.ts'

const resourcesMax = 100

export async function listResources(
  { session, store, signal }: ToolCall,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const { bucket } = session.workspace
  const { keyOf, pathOf } = session.scope
  const listed = await store.objects.listPage(bucket, {
    prefix: keyOf(''),
    limit: resourcesMax,
    signal,
    ...(cursor !== undefined && { after: keyOf(cursor) }),
  })
  const resources = listed.entries.flatMap((entry) => {
    if (entry.kind !== 'object') return []
    const path = pathOf(entry.key)
    return [{ uri: resourceUri(bucket, path), name: path, size: entry.size }]
  })
  const { nextAfter } = listed
  return { resources, ...(nextAfter !== undefined && { nextCursor: pathOf(nextAfter) }) }
}

/** @throws StorageError `InvalidArgument`, `NoSuchKey`; `EntityTooLarge` for an object that only `read` can show */
export async function readResource({ session, store, signal }: ToolCall, uri: string): Promise<ReadResourceResult> {
  const { bucket } = session.workspace
  const place = parseResourceUri(uri)
  if (place?.bucket !== bucket) {
    throw new StorageError('InvalidArgument', `A resource of this session is varve://${bucket}/ and a key.`)
  }
  const content = await store.objects.get(bucket, session.scope.keyOf(place.path), { signal })
  if (content.size > shownBytesMax) {
    await content.close()
    throw new StorageError('EntityTooLarge', `A resource has at most ${shownBytesMax} bytes: use the tool read.`)
  }
  const bytes = await content.bytes()
  const mimeType = content.contentType ?? 'application/octet-stream'
  const shown = textIn(bytes, true)
  const data = shown === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text: shown.text }
  return { contents: [{ uri, mimeType, ...data }] }
}

export const resourceTemplates = (bucket: string) => [
  { uriTemplate: `varve://${bucket}/{+key}`, name: 'object', description: 'An object by its key, percent-encoded.' },
]
