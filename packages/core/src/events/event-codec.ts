/**
 * Encodes events as framed JSON with a fixed field order. The hash chain covers the stored payload itself, never a
 * re-serialisation, so it proves exactly what was written.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { isSealed, payloadOf, sealText } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import { KeyWriter } from '../bytes/key-codec.ts'
import type { Hashing, Seq, StoredEvent } from '../ports/index.ts'
import { actor, isShapedEvent } from './event-shapes.ts'
import { storedVersion } from './stored-version.ts'
import { upcast } from './upcast.ts'
import type { RecordedEvent } from './event.ts'

export interface DecodedEvent {
  readonly event: RecordedEvent
  /** SHA-256 of the payload, base64url: the next event's `prev`. */
  readonly hash: string
  /** The number of bytes that the journal stores. */
  readonly size: number
}

/** The bytes that the journal stores for an event. */
export function encodeEvent(hashing: Hashing, event: RecordedEvent): Uint8Array {
  const { seq, at, by, requestId, prev, type, data } = event
  const text = JSON.stringify({ seq, at, by, requestId, prev, type, v: storedVersion(event), data })
  return sealText(hashing, eventKey(seq), text)
}

/** @throws StorageError `LogCorrupt` naming the position, if the bytes are not the event of this position. */
export function decodeEvent(hashing: Hashing, stored: StoredEvent): DecodedEvent {
  if (!isSealed(hashing, eventKey(stored.seq), stored.bytes)) throw corruptEvent(stored.seq, 'checksum')
  return decodeSealed(hashing, stored)
}

/** As `decodeEvent`, for a frame whose checksum is known to be right, such as one that was just sealed. */
export function decodeSealed(hashing: Hashing, { seq, bytes }: StoredEvent): DecodedEvent {
  const payload = payloadOf(bytes)
  const event = eventOf(seq, payload)
  if (event.seq !== seq) throw corruptEvent(seq, 'position')
  return { event, hash: hashing.sha256(payload), size: bytes.length }
}

/** A right checksum does not prove a valid event: it may have been computed over invalid bytes. */
function eventOf(seq: Seq, payload: Uint8Array): RecordedEvent {
  try {
    return shapedEvent(JSON.parse(decodeUtf8(payload)))
  } catch (error) {
    if (isStorageError(error)) throw error
    throw corruptEvent(seq, 'payload')
  }
}

/** @throws StorageError `UnsupportedFormat`; TypeError for an event that no views can be computed from. */
export function shapedEvent(stored: Parameters<typeof upcast>[0]): RecordedEvent {
  const event = upcast(stored)
  if (isShaped(event)) return event
  throw new TypeError('An event without its shape.')
}

const isShaped = ({ type, data, by, at, requestId, prev }: RecordedEvent): boolean =>
  typeof at === 'number' &&
  typeof requestId === 'string' &&
  typeof prev === 'string' &&
  actor.accepts(by) &&
  isShapedEvent(type, data)

/** `kind` names the damage: `checksum`, `payload`, `position`, `gap`, `chain`, `missing`. */
export function corruptEvent(seq: Seq, kind: string): StorageError {
  return new StorageError('LogCorrupt', `Event ${seq} of the log is damaged (${kind}).`, { details: { seq, kind } })
}

/** Binds an event's checksum to its position. */
export const eventKey = (seq: Seq): Uint8Array => new KeyWriter(0x00).seq(seq).finish()
