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
  type CheckedErasure,
  checkErasure,
  type CheckedProof,
  checkInclusion,
  type ConsistencyToCheck,
  type NoteChecks,
  type TrustedKeys,
} from '@varve/core'

const checksHere = async (): Promise<NoteChecks> => ({
  hashing: await nodeHashing(),
  verifySignature: verifyEd25519,
})

/** A proof that is right, and what agreed of a content that was compared with it. */
export interface CheckedVersion extends CheckedProof {
  readonly content?: CheckedContent
}

/** As the call of this name in `proofs.ts`. */
export async function checkProof(given: string, keys: TrustedKeys, content?: Body): Promise<CheckedVersion> {
  const checks = await checksHere()
  const proof = checkInclusion(checks, given, keys)
  if (content === undefined) return proof
  const agreed = await callArguments.withBody(content, (source) => checkContent(checks.hashing, proof.event, source))
  return { ...proof, content: agreed }
}

/** As the call of this name in `proofs.ts`. */
export async function checkErasureReceipt(given: string, keys: TrustedKeys): Promise<CheckedErasure> {
  return checkErasure(await checksHere(), given, keys)
}

/** As the call of this name in `proofs.ts`. */
export async function checkCheckpoint(given: string, keys: TrustedKeys): Promise<CheckedCheckpoint> {
  return checkSignedCheckpoint(await checksHere(), given, keys)
}

/** As the call of this name in `proofs.ts`. */
export async function checkLogConsistency(given: ConsistencyToCheck, keys: TrustedKeys): Promise<CheckedConsistency> {
  return checkConsistency(await checksHere(), given, keys)
}
