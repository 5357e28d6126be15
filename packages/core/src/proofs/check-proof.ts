/** Checks proofs without the store that made them. */
import { isStorageError } from '../base/errors.ts'
import { toBase64 } from '../bytes/base64.ts'
import { RecordReader } from '../codec/record-reader.ts'
import { readEventInto } from '../events/event-codec.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Hashing, Seq } from '../ports/index.ts'
import { type CheckpointHead, openCheckpoint } from './checkpoint.ts'
import { checkCosigned, type Cosignature } from './cosignature.ts'
import { leafHash, sha256 } from './merkle-hashes.ts'
import { invalidProof } from './proof-errors.ts'
import { parseConsistency, parseProof, type ProvenEntry } from './proof-file.ts'
import { type NoteChecks, parseKey, signatureTypes } from './signed-note.ts'
import { isConsistent, isIncluded } from './verify-paths.ts'

/** The keys that a checker of proofs trusts. */
export interface TrustedKeys {
  /** The public key of the log, as `store.proofs.key()` shows it. */
  readonly key: string
  /** The name that the log must have. @default that of the key, which contains it */
  readonly origin?: string
  /** The public keys of witnesses, all of which must have signed the checkpoint. @default none */
  readonly witnesses?: readonly string[]
}

/** A checkpoint whose signatures are right. */
export interface CheckedCheckpoint {
  /** The name of the log. */
  readonly origin: string
  /** The number of events. */
  readonly size: number
  /** The root of the tree, base64. */
  readonly root: string
  readonly cosignatures: readonly Cosignature[]
}

/** A proof that is right. */
export interface CheckedProof extends CheckedCheckpoint {
  /** The position of the event in the log, from 1. */
  readonly seq: Seq
  readonly event: RecordedEvent
}

/** A log that only grew. */
export interface CheckedConsistency extends CheckedCheckpoint {
  /** The number of events of the earlier checkpoint. */
  readonly earlier: number
}

/** @throws StorageError `ProofInvalid`, kind `format`, `key`, `signature`, `witness` */
export function checkCheckpoint(checks: NoteChecks, text: string, keys: TrustedKeys): CheckedCheckpoint {
  return checkedOf(opened(checks, text, keys))
}

/**
 * Checks that the log of the key has the event of the proof at its position.
 * @throws StorageError `ProofInvalid`, kind `format`, `key`, `signature`, `witness`, `inclusion`, `event`
 */
export function checkInclusion(checks: NoteChecks, text: string, keys: TrustedKeys): CheckedProof {
  const { hashing } = checks
  const { checkpoint, ...entry } = parseProof(text)
  const found = opened(checks, checkpoint, keys)
  const event = includedEvent(hashing, entry, found.head)
  return { ...checkedOf(found), seq: event.seq, event }
}

/** @throws StorageError `ProofInvalid`, kind `inclusion`, `event`; `UnsupportedFormat` for an event of a newer release */
export function includedEvent(
  hashing: Hashing,
  { event, index, path }: ProvenEntry,
  { size, root }: CheckpointHead,
): RecordedEvent {
  const leaf = leafHash(hashing, sha256(hashing, event))
  if (!isIncluded(hashing, { index, size, leaf, path, root })) {
    throw invalidProof('inclusion', `The log of the checkpoint does not have this event at position ${index + 1}.`)
  }
  return eventOf(event, index + 1)
}

/** What a proof of consistency is checked against. */
export interface ConsistencyToCheck {
  /** The text of the proof. */
  readonly proof: string
  /** The text of the checkpoint that was seen earlier. */
  readonly earlier: string
}

/**
 * Checks that the log of the key began with what the earlier checkpoint says. The witnesses need not have signed the earlier one.
 * @throws StorageError `ProofInvalid`, kind `format`, `key`, `signature`, `witness`, `consistency`
 */
export function checkConsistency(
  checks: NoteChecks,
  { proof, earlier }: ConsistencyToCheck,
  keys: TrustedKeys,
): CheckedConsistency {
  const { earlier: size, path, checkpoint } = parseConsistency(proof)
  const later = opened(checks, checkpoint, keys)
  const before = opened(checks, earlier, { key: keys.key })
  if (before.head.size !== size) {
    throw invalidProof(
      'consistency',
      `The proof begins at ${size} events, and the earlier checkpoint has ${before.head.size}.`,
    )
  }
  if (!isConsistent(checks.hashing, before.head, later.head, path)) {
    throw invalidProof(
      'consistency',
      `The log of ${later.head.size} events does not begin with that of ${size} events.`,
    )
  }
  return { ...checkedOf(later), earlier: size }
}

/** A checkpoint that was opened with the keys. */
export interface Opened {
  readonly head: CheckpointHead
  readonly cosignatures: readonly Cosignature[]
}

/** @throws StorageError `ProofInvalid`, kind `format`, `key`, `signature`, `witness` */
export function opened(checks: NoteChecks, text: string, { key, origin, witnesses = [] }: TrustedKeys): Opened {
  const { hashing } = checks
  const logKey = parseKey(hashing, key, signatureTypes.note)
  if (origin !== undefined && origin !== logKey.name) {
    throw invalidProof('key', `The key is that of the log ${logKey.name}, not of ${origin}.`)
  }
  const witnessKeys = witnesses.map((witness) => parseKey(hashing, witness, signatureTypes.cosignature))
  const { head, note } = openCheckpoint(checks, text, logKey)
  return { head, cosignatures: witnessKeys.map((witness) => checkCosigned(checks, note, witness)) }
}

export const checkedOf = ({ head: { origin, size, root }, cosignatures }: Opened): CheckedCheckpoint => ({
  origin,
  size,
  root: toBase64(root),
  cosignatures,
})

/** @throws StorageError `ProofInvalid`, kind `event`; `UnsupportedFormat` for an event of a newer release */
function eventOf(bytes: Uint8Array, seq: Seq): RecordedEvent {
  const event = {} as RecordedEvent
  try {
    readEventInto(new RecordReader(bytes, 0), event as unknown as Record<string, unknown>)
  } catch (error) {
    if (isStorageError(error)) throw error
    throw invalidProof('event', `The bytes at position ${seq} of the log are no event.`)
  }
  if (event.seq !== seq) throw invalidProof('event', `The event at position ${seq} of the log is that of ${event.seq}.`)
  return event
}
