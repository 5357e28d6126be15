/**
 * Encodes events in binary form. The hash chain covers the stored payload itself, never a re-serialisation, so it
 * proves exactly what was written.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { frameFormat, isSealed, payloadOf } from '../bytes/frame.ts'
import { KeyWriter } from '../bytes/key-codec.ts'
import type { RecordReader } from '../codec/record-reader.ts'
import { readRecord, sealRecord, writeRecord } from '../codec/record.ts'
import { count, hex } from '../codec/scalars.ts'
import { struct } from '../codec/structures.ts'
import type { Hashing, Seq, StoredEvent } from '../ports/index.ts'
import { Mismatch } from '../schema/schema.ts'
import { actor } from './actor-form.ts'
import { epoch } from './epoch-form.ts'
import { facts } from './content-forms.ts'
import { eventForms, typeOfCode, writtenVersion } from './event-forms.ts'
import type { EventType, RecordedEvent } from './event.ts'
import { link, noteHash } from './link-form.ts'

/** An event of the log, and what its stored bytes say besides it. */
export interface DecodedEvent {
  readonly event: RecordedEvent
  /** SHA-256 of the payload, base64url: the next event's `prev`. */
  readonly hash: string
  /** The number of bytes that the journal stores. */
  readonly size: number
  /** The facts of the object that the event adds, if it adds one, in the form that rows share. */
  readonly facts: Uint8Array | undefined
}

/** What every event has besides its type, its epoch and its data. */
const heading = struct<Omit<RecordedEvent, 'type' | 'epoch' | 'data'>>({
  seq: count,
  at: count,
  prev: link,
  by: actor,
  requestId: hex,
})

/** Added to the version of an event's form: the epoch of the event follows its heading. */
const inEpoch = 0x40

/**
 * The bytes that the journal stores for an event.
 * @throws StorageError `InvalidArgument` for an event with a value that the log cannot express
 */
export function encodeEvent(hashing: Hashing, event: RecordedEvent): Uint8Array {
  const { seq, type, data } = event
  return sealRecord(hashing, eventKey(seq), payloadFrame(event, type, data))
}

function payloadFrame(event: RecordedEvent, type: EventType, data: object): Uint8Array {
  try {
    if (!Object.hasOwn(eventForms, type)) throw new Mismatch('has an unknown type')
    const { code, versions } = eventForms[type]
    const version = writtenVersion(eventForms[type], data)
    return writeRecord((to) => {
      to.byte(code)
      to.count(event.epoch === undefined ? version : version + inEpoch)
      heading.write(to, event)
      if (event.epoch !== undefined) epoch.write(to, event.epoch)
      for (const part of versions[version - 1] ?? []) part.write(to, data)
    })
  } catch (error) {
    throw inexpressible(type, error)
  }
}

/**
 * @throws StorageError `LogCorrupt` naming the position, if the bytes are not the event of this position;
 * `UnsupportedFormat` for an event of a newer release
 */
export function decodeEvent(hashing: Hashing, stored: StoredEvent): DecodedEvent {
  checkFrame(hashing, stored)
  return decodeSealed(hashing, stored)
}

/** @throws StorageError `LogCorrupt` for a damaged frame */
export function checkFrame(hashing: Hashing, { seq, bytes }: StoredEvent): void {
  if (!isSealed(hashing, eventKey(seq), bytes, frameFormat.record)) throw corruptEvent(seq, 'checksum')
}

/** As `decodeEvent`, for a frame whose checksum is known to be right, such as one that was just sealed. */
export function decodeSealed(hashing: Hashing, { seq, bytes }: StoredEvent): DecodedEvent {
  const event = {} as RecordedEvent
  const ofFacts = readWhole(seq, bytes, event)
  if (event.seq !== seq) throw corruptEvent(seq, 'position')
  const hash = hashing.sha256(payloadOf(bytes))
  noteHash(hash)
  return { event, facts: ofFacts, hash, size: bytes.length }
}

/** A right checksum does not prove a valid event: it may have been computed over invalid bytes. */
function readWhole(seq: Seq, frame: Uint8Array, event: object): Uint8Array | undefined {
  try {
    return readEventInto(readRecord(frame), event as Record<string, unknown>)
  } catch (error) {
    if (isStorageError(error)) throw error
    throw corruptEvent(seq, 'payload')
  }
}

/**
 * Reads the fields of an event into an empty object, which has the first of them if the others cannot be read. Returns
 * the facts of the object that the event adds, if it adds one.
 * @throws StorageError `UnsupportedFormat`; Malformed, or another error, for bytes that are no event
 */
export function readEventInto(from: RecordReader, event: Record<string, unknown>): Uint8Array | undefined {
  const [code, marked] = [from.byte(), from.count()]
  const version = marked > inEpoch ? marked - inEpoch : marked
  const type = typeOfCode(code)
  const form = type && eventForms[type].versions[version - 1]
  if (form === undefined) throw unsupported(type ?? `an event of kind ${code}`, version)
  event['type'] = type
  heading.readInto(from, event)
  if (version !== marked) event['epoch'] = epoch.read(from)
  const data: Record<string, unknown> = (event['data'] = {})
  let ofFacts: Uint8Array | undefined
  for (const part of form) {
    if ((part as object) === facts) ofFacts = from.bytes.subarray(from.at)
    part.readInto(from, data)
  }
  from.end()
  return ofFacts
}

const unsupported = (what: string, version: number): StorageError =>
  new StorageError('UnsupportedFormat', `The log holds ${what} v${version}, which a newer release wrote.`, {
    hint: 'Open the store with that release: see `docs/runbooks/upgrade.md`.',
  })

function inexpressible(type: EventType, cause: unknown): StorageError {
  const problem = cause instanceof Mismatch ? `${cause.path.join('.')} ${cause.problem}` : 'a value cannot be read'
  return new StorageError('InvalidArgument', `The log cannot express this ${String(type)}: ${problem}.`, { cause })
}

/** `kind` names the damage: `checksum`, `payload`, `position`, `gap`, `chain`, `missing`. */
export function corruptEvent(seq: Seq, kind: string): StorageError {
  return new StorageError('LogCorrupt', `Event ${seq} of the log is damaged (${kind}).`, { details: { seq, kind } })
}

/** Binds an event's checksum to its position. */
export const eventKey = (seq: Seq): Uint8Array => new KeyWriter(0x00).seq(seq).finish()
