/** Checkpoints: the size and the root of a log's tree, as the text of a signed note. C2SP tlog-checkpoint. */
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { hashBytes } from './merkle-hashes.ts'
import { invalidProof } from './proof-errors.ts'
import { checkSigned, type NoteChecks, type NoteKey, parseNote, type SignedNote } from './signed-note.ts'
import type { TreeHead } from './verify-paths.ts'

/** What a checkpoint says. */
export interface CheckpointHead extends TreeHead {
  /** The name of the log. */
  readonly origin: string
}

export const checkpointText = ({ origin, size, root }: CheckpointHead): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`

/** Lines after the third are for extensions, and signed as well. @throws StorageError `ProofInvalid`, kind `format` */
function parseCheckpoint(text: string): CheckpointHead {
  const [origin = '', digits = '', base64 = '', ...rest] = text.split('\n')
  const root = fromBase64(base64)
  const size = parseCount(digits)
  const isWhole = origin !== '' && rest.length > 0 && rest.slice(0, -1).every((line) => line !== '')
  if (isWhole && size !== undefined && root?.length === hashBytes) return { origin, size, root }
  throw invalidProof('format', 'This is no checkpoint of a log.')
}

/** A number without leading zeros. */
export function parseCount(digits: string): number | undefined {
  const value = /^(?:0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

/** The checkpoint of a note that the key of the log has signed. @throws StorageError `ProofInvalid` */
export function openCheckpoint(
  checks: NoteChecks,
  text: string,
  key: NoteKey,
): { readonly head: CheckpointHead; readonly note: SignedNote } {
  const note = parseNote(text)
  checkSigned(checks, note, key)
  const head = parseCheckpoint(note.text)
  if (head.origin !== key.name) {
    throw invalidProof('key', `The checkpoint is of the log ${head.origin}, and the key of ${key.name}.`)
  }
  return { head, note }
}
