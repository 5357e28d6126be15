/** Checks checkpoints and proofs of a log, without a store. */
import { nodeHashing, verifyEd25519 } from '@varve/adapters'
import {
  type Body,
  callArguments,
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
  schema,
  type TrustedKeys,
} from '@varve/core'

const { array, checked, object, optional, text } = schema

const proofText = text()
const trustedKeys = object<TrustedKeys>({ key: text(), origin: optional(text()), witnesses: optional(array(text())) })
const consistencyToCheck = object<ConsistencyToCheck>({ proof: text(), earlier: text() })

const checksHere = async (): Promise<NoteChecks> => ({
  hashing: await nodeHashing(),
  verifySignature: verifyEd25519,
})

/** A proof that is right, and what agreed of a content that was compared with it. */
export interface CheckedVersion extends CheckedProof {
  readonly content?: CheckedContent
}

/**
 * Checks a proof that `store.proofs.prove` or `varve prove` made. The result has the event that the log has at its position.
 * @param given The text of the proof.
 * @param content The bytes that are compared with all digests of the content that the event names. @default none
 * @throws StorageError `ProofInvalid`, whose `details.kind` says why: `content` if the bytes differ, or the event names no digest of
 * the whole content; `UnsupportedFormat` for an event of a newer release; what reading the content throws
 */
export async function checkProof(given: string, keys: TrustedKeys, content?: Body): Promise<CheckedVersion> {
  const [text, trusted] = [checked('text', proofText, given), checked('keys', trustedKeys, keys)]
  const checks = await checksHere()
  const proof = checkInclusion(checks, text, trusted)
  if (content === undefined) return proof
  const agreed = await callArguments.withBody(content, (source) => checkContent(checks.hashing, proof.event, source))
  return { ...proof, content: agreed }
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
