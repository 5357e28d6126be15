/** Checks checkpoints and proofs of a log, without a store. */
import { nodeHashing, verifyEd25519 } from '@varve/adapters'
import {
  checkCheckpoint as checkSignedCheckpoint,
  checkConsistency,
  checkContent,
  type CheckedCheckpoint,
  type CheckedConsistency,
  type CheckedContent,
  type CheckedProof,
  checkInclusion,
  type ConsistencyToCheck,
  type NoteChecks,
  type RecordedEvent,
  schema,
  type TrustedKeys,
} from '@varve/core'

const { array, checked, implementing, object, objectWith, optional, text } = schema

const proofText = text()
const trustedKeys = object<TrustedKeys>({ key: text(), origin: optional(text()), witnesses: optional(array(text())) })
const consistencyToCheck = object<ConsistencyToCheck>({ proof: text(), earlier: text() })

const checksHere = async (): Promise<NoteChecks> => ({
  hashing: await nodeHashing(),
  verifySignature: verifyEd25519,
})

/**
 * Checks a proof that `store.proofs.prove` or `varve prove` made. The result has the event that the log has at its position.
 * @param text The proof.
 * @throws StorageError `ProofInvalid`, whose `details.kind` says why; `UnsupportedFormat` for an event of a newer release
 */
export async function checkProof(given: string, keys: TrustedKeys): Promise<CheckedProof> {
  const [proof, trusted] = [checked('text', proofText, given), checked('keys', trustedKeys, keys)]
  return checkInclusion(await checksHere(), proof, trusted)
}

/** Checks a checkpoint of a log. @throws StorageError `ProofInvalid` */
export async function checkCheckpoint(given: string, keys: TrustedKeys): Promise<CheckedCheckpoint> {
  const [note, trusted] = [checked('text', proofText, given), checked('keys', trustedKeys, keys)]
  return checkSignedCheckpoint(await checksHere(), note, trusted)
}

/**
 * Checks with the proof of `store.proofs.consistency` that a log still begins as an earlier checkpoint says.
 * @throws StorageError `ProofInvalid`
 */
export async function checkLogConsistency(given: ConsistencyToCheck, keys: TrustedKeys): Promise<CheckedConsistency> {
  const [proof, trusted] = [checked('proof', consistencyToCheck, given), checked('keys', trustedKeys, keys)]
  return checkConsistency(await checksHere(), proof, trusted)
}

const provenEvent = objectWith<Pick<RecordedEvent, 'type'>>({ type: schema.word<RecordedEvent['type']>() })
const chunksOfBytes = implementing<AsyncIterable<Uint8Array>>('an async iterable of bytes', [])

/**
 * Compares bytes with the digests that a proven event names.
 * @throws StorageError `ProofInvalid`, kind `content`, if they differ, or if the event names no digest of the whole content
 */
export async function checkProvenContent(
  event: RecordedEvent,
  chunks: AsyncIterable<Uint8Array>,
): Promise<CheckedContent> {
  checked('event', provenEvent, event)
  checked('chunks', chunksOfBytes, chunks)
  return checkContent(await nodeHashing(), event, chunks)
}
