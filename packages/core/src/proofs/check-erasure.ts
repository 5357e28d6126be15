/** Checks the receipt of an erasure without the store that made it. */
import { type CheckedCheckpoint, checkedOf, includedEvent, opened, type TrustedKeys } from './check-proof.ts'
import { type ErasureFacts, erasureFacts } from './erasure-facts.ts'
import { parseErasure } from './erasure-file.ts'
import { invalidProof } from './proof-errors.ts'
import type { NoteChecks } from './signed-note.ts'

/** The receipt of an erasure that is right. */
export interface CheckedErasure extends CheckedCheckpoint, ErasureFacts {}

/**
 * Checks that the log of the key has the events of the receipt, and that they are those of an erasure.
 * @throws StorageError `ProofInvalid`, kind `format`, `key`, `signature`, `witness`, `inclusion`, `event`
 */
export function checkErasure(checks: NoteChecks, text: string, keys: TrustedKeys): CheckedErasure {
  const { erased, versions, entries, checkpoint } = parseErasure(text)
  const found = opened(checks, checkpoint, keys)
  const facts = erasureFacts(entries.map((entry) => includedEvent(checks.hashing, entry, found.head)))
  const all = [...facts.versions, ...facts.uploads]
  const gone = all.filter((each) => each.erased !== undefined)
  if (all.length !== versions || gone.length !== erased) {
    throw invalidProof('event', 'The receipt counts other versions and uploads than those of its events.')
  }
  return { ...checkedOf(found), ...facts }
}
