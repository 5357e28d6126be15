/**
 * Reads events as releases before format 3 stored them: frames around JSON. Only the migration of a store needs this.
 *
 * Early releases accepted values that JSON cannot express: a Date in place of a number became text, a missing name
 * stayed missing. If the meaning is clear, the event is corrected.
 */
import { isStorageError } from '../../base/errors.ts'
import { frameFormat, openFrame } from '../../bytes/frame.ts'
import { decodeUtf8 } from '../../bytes/utf8.ts'
import type { Hashing, StoredEvent } from '../../ports/index.ts'
import { corruptEvent, type DecodedEvent, eventKey } from '../event-codec.ts'
import type { RecordedEvent } from '../event.ts'
import { actor, isShapedEvent } from './event-shapes.ts'
import { mended } from './mend.ts'
import { type StoredShape, upcast } from './upcast.ts'

/** An event of an older format. */
export interface DecodedOldEvent extends Omit<DecodedEvent, 'facts'> {
  /**
   * True if the event was corrected. The stored bytes are then what an early release wrote only if the next event, or
   * the witness, has their hash: no decoder refuses other bytes in their place.
   */
  readonly isMended: boolean
}

/**
 * The event, with the hash of its stored payload.
 * @throws StorageError `LogCorrupt` naming the position, if the bytes are not the event of this position;
 * `UnsupportedFormat` for an event of a release that this one does not know
 */
export function decodeOldEvent(hashing: Hashing, { seq, bytes }: StoredEvent): DecodedOldEvent {
  const payload = openFrame(hashing, eventKey(seq), bytes, frameFormat.bytes)
  if (payload === undefined) throw corruptEvent(seq, 'checksum')
  const parsed = parsedOf(payload)
  const sound = parsed && shaped(parsed)
  const event = sound ?? (parsed && shaped(mended(parsed)))
  if (event === undefined) throw corruptEvent(seq, 'payload')
  if (event.seq !== seq) throw corruptEvent(seq, 'position')
  return { event, hash: hashing.sha256(payload), size: bytes.length, isMended: sound === undefined }
}

function parsedOf(payload: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(decodeUtf8(payload))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `undefined` for an event that no views can be computed from. @throws StorageError `UnsupportedFormat` */
function shaped(stored: object): RecordedEvent | undefined {
  try {
    const event = upcast(stored as StoredShape)
    return isShaped(event) ? event : undefined
  } catch (error) {
    if (isStorageError(error)) throw error
    return undefined
  }
}

const isShaped = ({ type, data, by, at, requestId, prev }: RecordedEvent): boolean =>
  typeof at === 'number' &&
  typeof requestId === 'string' &&
  typeof prev === 'string' &&
  actor.accepts(by) &&
  isShapedEvent(type, data)
