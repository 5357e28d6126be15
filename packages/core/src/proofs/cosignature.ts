/** Cosignatures of witnesses: C2SP tlog-cosignature, with Ed25519. */
import { encodeUtf8 } from '../bytes/utf8.ts'
import { invalidProof } from './proof-errors.ts'
import { type NoteChecks, type NoteKey, type SignedNote, signaturesOf } from './signed-note.ts'

const timeBytes = 8
const signatureBytes = 64

/** A witness saw the checkpoint, and that the log had only grown since the last one that it saw. */
export interface Cosignature {
  /** The name of the witness. */
  readonly witness: string
  readonly at: Date
}

/** @throws StorageError `ProofInvalid`, kind `witness`, unless the witness has signed the checkpoint of the note */
export function checkCosigned({ hashing, verifySignature }: NoteChecks, note: SignedNote, key: NoteKey): Cosignature {
  const found = signaturesOf(hashing, note, key).map((bytes) => {
    const seconds = secondsOf(bytes)
    const message = encodeUtf8(`cosignature/v1\ntime ${seconds}\n${note.text}`)
    const isSigned =
      bytes.length === timeBytes + signatureBytes &&
      Number.isSafeInteger(seconds * 1000) &&
      verifySignature(key.publicKey, message, bytes.subarray(timeBytes))
    return isSigned ? seconds : undefined
  })
  const [seconds] = found
  if (seconds !== undefined && !found.includes(undefined)) return { witness: key.name, at: new Date(seconds * 1000) }
  const why = found.length === 0 ? 'has no signature' : 'has a wrong signature'
  throw invalidProof('witness', `The checkpoint ${why} of the witness ${key.name}.`)
}

const secondsOf = (bytes: Uint8Array): number =>
  bytes.subarray(0, timeBytes).reduce((value, byte) => value * 256 + byte, 0)
