/** Whether an object of a store is the one that is imported, so that it need not be stored again. */
import { createHash } from 'node:crypto'
import { contentHeaderFields, type ContentHeaders, type ObjectInfo } from '@varve/core'
import type { ImportingStore } from './archived-store.ts'
import { md5Of } from './checked-content.ts'
import type { ImportedObject } from './import-entry.ts'

interface Found {
  readonly bucket: string
  readonly info: ObjectInfo
  readonly signal?: AbortSignal | undefined
}

/** Compares bytes, headers, metadata, tags and storage class. Times, owners and locks may differ. */
export async function isSameObject(store: ImportingStore, found: Found, object: ImportedObject): Promise<boolean> {
  const { bucket, info, signal } = found
  if (info.size !== object.size || !hasSameFacts(info, object)) return false
  const { tags = [] } = object.facts
  if ((info.tagCount ?? 0) !== tags.length) return false
  const place = { versionId: info.versionId, ...(signal && { signal }) }
  if (tags.length > 0) {
    const has = await store.objects.annotations(bucket, info.key, place)
    if (tagText(has.tags ?? []) !== tagText(tags)) return false
  }
  return hasSameBytes(store, found, object)
}

async function hasSameBytes(store: ImportingStore, { bucket, info, signal }: Found, object: ImportedObject) {
  const md5 = md5Of(info)
  if (md5 !== undefined && object.md5 !== undefined) return md5 === object.md5
  if (md5 !== undefined && object.sha256 === undefined) return md5 === (await digest('md5', object.read()))
  const { versionId } = info
  const content = await store.objects.get(bucket, info.key, { versionId, ...(signal && { signal }) })
  return (await digest('sha256', content.body)) === (object.sha256 ?? (await digest('sha256', object.read())))
}

async function digest(algorithm: 'md5' | 'sha256', body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash(algorithm)
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}

const headerNames = Object.keys(contentHeaderFields) as readonly (keyof ContentHeaders)[]

function hasSameFacts(info: ObjectInfo, { facts }: ImportedObject): boolean {
  const { metadata = {}, storageClass = 'STANDARD' } = facts
  if ((info.storageClass ?? 'STANDARD') !== storageClass) return false
  if (headerNames.some((name) => info[name] !== facts[name])) return false
  const names = Object.keys(metadata)
  return (
    names.length === Object.keys(info.metadata).length &&
    names.every((name) => info.metadata[name.toLowerCase()] === metadata[name])
  )
}

const tagText = (tags: readonly { readonly key: string; readonly value: string }[]): string =>
  JSON.stringify(
    tags.map(({ key, value }) => [key, value]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0)),
  )
