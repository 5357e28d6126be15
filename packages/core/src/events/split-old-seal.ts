/**
 * Earlier releases kept the wrapped data key of a blob in the event that named the blob. A migration takes these keys
 * out of the events. A key belongs in the new store if the new views still need it (`NamedBytes.sealed`).
 */
import { fromBase64 } from '../bytes/base64.ts'
import type { BlobId, Hashing } from '../ports/index.ts'
import type { Content, Seal } from './content.ts'
import type { Erasure, Event } from './event.ts'

/** A wrapped data key that an event contained. */
export interface OldDataKey {
  readonly blobId: BlobId
  readonly wrapped: Uint8Array
}

/** An event without wrapped data keys, and the keys that it contained. */
export interface SplitEvent<E extends Event> {
  readonly event: E
  readonly keys: readonly OldDataKey[]
}

type OldSeal = Seal & { readonly wrapped?: string }

/** Returns an event without old data keys unchanged. An event that erases contents contains no key that is needed. */
export function splitOldSeal<E extends Event>(hashing: Hashing, event: E): SplitEvent<E> {
  const { data } = event
  if ('erased' in data) {
    const erased = data.erased.map((one): Erasure => ({ ...one, content: withoutKey(hashing, one.content) }))
    return { event: { ...event, data: { ...data, erased } }, keys: [] }
  }
  const keys = 'content' in data ? keysIn(data.content) : []
  if (!('content' in data) || oldKeyIn(data.content) === undefined) return { event, keys }
  return { event: { ...event, data: { ...data, content: withoutKey(hashing, data.content) } }, keys }
}

/** A key that is not base64 is left out: no release could read its content. */
function keysIn(content: Content): readonly OldDataKey[] {
  const wrapped = fromBase64(oldKeyIn(content) ?? '')
  if (content.kind !== 'blob' || wrapped === undefined || wrapped.length === 0) return []
  return [{ blobId: content.blob.id, wrapped }]
}

/** Base64. */
const oldKeyIn = (content: Content): string | undefined =>
  content.kind === 'blob' ? (content.sealed as OldSeal | undefined)?.wrapped : undefined

function withoutKey(hashing: Hashing, content: Content): Content {
  if (content.kind !== 'blob' || content.sealed === undefined) return content
  const { wrapped: _, ...sealed } = content.sealed as OldSeal
  const wrapped = fromBase64(oldKeyIn(content) ?? '')
  return { ...content, sealed: { ...sealed, ...(wrapped && { keyCrc: hashing.crc32(wrapped) }) } }
}
