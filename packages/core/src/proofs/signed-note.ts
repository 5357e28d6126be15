/** Signed notes and their keys: C2SP signed-note, with Ed25519. */
import { concatBytes, sameBytes } from '../bytes/bytes.ts'
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { toHex } from '../bytes/hex.ts'
import { encodeUtf8, isWellFormed } from '../bytes/utf8.ts'
import type { Hashing } from '../ports/index.ts'
import { sha256 } from './merkle-hashes.ts'
import { invalidProof } from './proof-errors.ts'

/** The first byte of the bytes of a key: what it signs, and how. */
export const signatureTypes = {
  /** Ed25519, of the text of a note. */
  note: 0x01,
  /** Ed25519, of a checkpoint and the time when a witness saw it: C2SP tlog-cosignature. */
  cosignature: 0x04,
} as const
export type SignatureType = (typeof signatureTypes)[keyof typeof signatureTypes]

/** Checks an Ed25519 signature (RFC 8032). */
export type VerifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

/** What checks of notes use of the machine. */
export interface NoteChecks {
  readonly hashing: Hashing
  readonly verifySignature: VerifySignature
}

/** A public key, as a verifier of notes has it. */
export interface NoteKey {
  readonly name: string
  readonly type: SignatureType
  /** 32 bytes. */
  readonly publicKey: Uint8Array
}

/** One line of signature. */
export interface NoteSignature {
  readonly name: string
  /** 4 bytes. */
  readonly keyId: Uint8Array
  readonly signature: Uint8Array
}

export interface SignedNote {
  /** Ends in a newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** The most signatures, and the most characters, that are read. */
const signaturesMax = 64
const noteMax = 256 * 1024
const publicKeyBytes = 32
const keyIdBytes = 4

const nameForm = /^[^\s\p{White_Space}+\p{Cc}]+$/u
const signatureForm = /^\u2014 (\S+) (\S+)$/

/** Whether a key, and the log that it signs, can have this name. */
export const isKeyName = (name: string): boolean => name.length <= 256 && isWellFormed(name) && nameForm.test(name)

export function keyIdOf(hashing: Hashing, { name, type, publicKey }: NoteKey): Uint8Array {
  const named = concatBytes([encodeUtf8(`${name}\n`), Uint8Array.of(type), publicKey])
  return sha256(hashing, named).slice(0, keyIdBytes)
}

/** The text of a key: its name, its id and its bytes, joined by `+`. */
export function formatKey(hashing: Hashing, key: NoteKey): string {
  const bytes = concatBytes([Uint8Array.of(key.type), key.publicKey])
  return `${key.name}+${toHex(keyIdOf(hashing, key))}+${toBase64(bytes)}`
}

/** @throws StorageError `ProofInvalid`, kind `key` */
export function parseKey(hashing: Hashing, text: string, type: SignatureType): NoteKey {
  const wrong = invalidProof('key', 'A key of a log or a witness is <name>+<id>+<base64>.')
  const [name = '', id, ...rest] = text.trim().split('+')
  const bytes = fromBase64(rest.join('+'))
  if (!isKeyName(name) || bytes?.length !== 1 + publicKeyBytes) throw wrong
  if (bytes[0] !== type) throw invalidProof('key', `The key ${name} is of type ${bytes[0]}, not ${type}.`)
  const key = { name, type, publicKey: bytes.subarray(1) }
  if (toHex(keyIdOf(hashing, key)) !== id) throw wrong
  return key
}

/** One line. */
export const formatSignature = ({ name, keyId, signature }: NoteSignature): string =>
  `\u2014 ${name} ${toBase64(concatBytes([keyId, signature]))}\n`

export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(formatSignature).join('')}`

/** Reads a note, and trusts nothing in it yet. @throws StorageError `ProofInvalid`, kind `format` */
export function parseNote(note: string): SignedNote {
  const end = note.lastIndexOf('\n\n')
  const hasControls = /[\u0000-\u0009\u000b-\u001f]/.test(note)
  if (note.length > noteMax || end <= 0 || !note.endsWith('\n') || hasControls || !isWellFormed(note)) throw noNote()
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > signaturesMax || new Set(lines).size !== lines.length) throw noNote()
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) }
}

/** @throws StorageError `ProofInvalid`, kind `format` */
export function parseSignature(line: string): NoteSignature {
  const [, name = '', base64 = ''] = signatureForm.exec(line) ?? []
  const bytes = fromBase64(base64)
  if (!isKeyName(name) || bytes === undefined || bytes.length <= keyIdBytes) throw noNote()
  return { name, keyId: bytes.subarray(0, keyIdBytes), signature: bytes.subarray(keyIdBytes) }
}

/** The signatures that a key may have made: those of its name and its id. */
export function signaturesOf(hashing: Hashing, { signatures }: SignedNote, key: NoteKey): readonly Uint8Array[] {
  const id = keyIdOf(hashing, key)
  return signatures
    .filter(({ name, keyId }) => name === key.name && sameBytes(keyId, id))
    .map(({ signature }) => signature)
}

/**
 * Checks that a key has signed the text of the note.
 * @throws StorageError `ProofInvalid`, kind `signature`
 */
export function checkSigned({ hashing, verifySignature }: NoteChecks, note: SignedNote, key: NoteKey): void {
  const signatures = signaturesOf(hashing, note, key)
  const message = encodeUtf8(note.text)
  if (signatures.length > 0 && signatures.every((each) => verifySignature(key.publicKey, message, each))) return
  const why = signatures.length === 0 ? 'has no signature' : 'has a wrong signature'
  throw invalidProof('signature', `The checkpoint ${why} of the key ${key.name}.`)
}

const noNote = () => invalidProof('format', 'This is no signed note.')
