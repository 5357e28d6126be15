/** Checks of proofs. Their parts are loaded by the first call, and not when a program imports this module. */
import {
  type Body,
  type CheckedCheckpoint,
  type CheckedConsistency,
  type CheckedErasure,
  type ConsistencyToCheck,
  limits,
  schema,
  type TrustedKeys,
} from '@varve/core'
import type { CheckedVersion } from './check-proof.ts'

const { array, checked, object, optional, text } = schema

const proofText = text({ max: limits.proofCharactersMax })
const trustedKeys = object<TrustedKeys>({ key: text(), origin: optional(text()), witnesses: optional(array(text())) })
const consistencyToCheck = object<ConsistencyToCheck>({ proof: proofText, earlier: proofText })

/**
 * Checks a proof that `store.proofs.prove` or `varve prove` made. The result has the event that the log has at its position.
 * @param given The text of the proof.
 * @param content The bytes that are compared with all digests of the content that the event names. @default none
 * @throws StorageError `ProofInvalid`, whose `details.kind` says why: `content` if the bytes differ, or the event names no digest of
 * the whole content; `UnsupportedFormat` for an event of a newer release; what reading the content throws
 */
export async function checkProof(given: string, keys: TrustedKeys, content?: Body): Promise<CheckedVersion> {
  const [proof, trusted] = [checked('text', proofText, given), checked('keys', trustedKeys, keys)]
  const module = await import('./check-proof.ts')
  return module.checkProof(proof, trusted, content)
}

/**
 * Checks a receipt that `store.erase` or `varve erase --receipt` made: which versions somebody had erased, and that the store recorded
 * in its signed log that their bytes are gone. docs/erasing.md says what it does not prove.
 * @throws StorageError `ProofInvalid`, whose `details.kind` says why; `UnsupportedFormat` for an event of a newer release
 */
export async function checkErasureReceipt(given: string, keys: TrustedKeys): Promise<CheckedErasure> {
  const [receipt, trusted] = [checked('text', proofText, given), checked('keys', trustedKeys, keys)]
  const module = await import('./check-proof.ts')
  return module.checkErasureReceipt(receipt, trusted)
}

/** Checks a checkpoint of a log. @throws StorageError `ProofInvalid` */
export async function checkCheckpoint(given: string, keys: TrustedKeys): Promise<CheckedCheckpoint> {
  const [note, trusted] = [checked('text', proofText, given), checked('keys', trustedKeys, keys)]
  const module = await import('./check-proof.ts')
  return module.checkCheckpoint(note, trusted)
}

/**
 * Checks with the proof of `store.proofs.consistency` that a log still begins as an earlier checkpoint says.
 * @throws StorageError `ProofInvalid`
 */
export async function checkLogConsistency(given: ConsistencyToCheck, keys: TrustedKeys): Promise<CheckedConsistency> {
  const [proof, trusted] = [checked('proof', consistencyToCheck, given), checked('keys', trustedKeys, keys)]
  const module = await import('./check-proof.ts')
  return module.checkLogConsistency(proof, trusted)
}
