/** Signs the head of the log's tree, and never two different trees of one size. */
import { StorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import type { Hashing, LogSigner } from '../ports/index.ts'
import { checkpointText, type CheckpointHead, openCheckpoint } from './checkpoint.ts'
import { type Cosignature, checkCosigned } from './cosignature.ts'
import type { LogTree } from './log-tree.ts'
import { rootOf } from './merkle-tree.ts'
import { invalidProof, otherLog } from './proof-errors.ts'
import {
  formatKey,
  formatNote,
  keyIdOf,
  type NoteKey,
  type NoteSignature,
  parseKey,
  parseNote,
  parseSignature,
  signatureTypes,
} from './signed-note.ts'

/** The public key of a log. */
export interface LogKey {
  /** The name of the log: the first line of its checkpoints. */
  readonly origin: string
  /** The text that checkers of proofs are given. */
  readonly key: string
}

/** A checkpoint that was signed. */
export interface SignedCheckpoint extends CheckpointHead {
  /** The signed note. */
  readonly text: string
}

export class LogSigning {
  readonly #hashing: Hashing
  readonly #signer: LogSigner | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(hashing: Hashing, signer: LogSigner | undefined) {
    this.#hashing = hashing
    this.#signer = signer
  }

  async key(): Promise<LogKey> {
    return this.#shown(await this.#noteKey())
  }

  /** Waits for a signature in progress. What was signed with the earlier key stays valid. */
  renew(origin: string | undefined): Promise<LogKey> {
    return this.#inTurn(async () => {
      await this.#found.renew(origin)
      return this.#shown(await this.#noteKey())
    })
  }

  /**
   * Signs the tree as it is now. If it has not grown, the result is the last checkpoint.
   * @throws StorageError `CheckpointConflict` if it does not begin with the tree that was signed last
   */
  sign(tree: LogTree, signal: AbortSignal): Promise<SignedCheckpoint> {
    return this.#inTurn(async () => {
      const size = await tree.follow(signal)
      const hashes = tree.hashes(signal)
      const key = await this.#noteKey()
      const last = await this.#last(key)
      const root = await rootOf(hashes, size)
      if (last !== undefined) {
        if (last.size > size) throw otherLog(last.size, size)
        const before = last.size === size ? root : await rootOf(hashes, last.size)
        if (!sameBytes(before, last.root)) throw otherLog(last.size, size)
        if (last.size === size) return last
      }
      const head = { origin: key.name, size, root }
      const text = checkpointText(head)
      const signature = await this.#found.sign(encodeUtf8(text))
      const note = formatNote({ text, signatures: [{ name: key.name, keyId: keyIdOf(this.#hashing, key), signature }] })
      await this.#found.keep(note)
      return { ...head, text: note }
    })
  }

  /**
   * A checkpoint that this key has signed before.
   * @throws StorageError `ProofInvalid` if it has not; `CheckpointConflict` if the log does not begin with it
   */
  async earlier(tree: LogTree, text: string, signal: AbortSignal): Promise<SignedCheckpoint> {
    const { head } = openCheckpoint(this.#checks(), text, await this.#noteKey())
    const size = await tree.follow(signal)
    if (head.size > size) throw otherLog(head.size, size)
    const root = await rootOf(tree.hashes(signal), head.size)
    if (!sameBytes(root, head.root)) throw otherLog(head.size, size)
    return { ...head, text }
  }

  /**
   * Adds the signature of a witness to the checkpoint that was signed last, in place of an earlier one of the same witness.
   * @throws StorageError `ProofInvalid` for a signature that is not of the witness, or of another checkpoint
   */
  cosign(line: string, witness: string): Promise<SignedCheckpoint & { readonly cosignature: Cosignature }> {
    return this.#inTurn(async () => {
      const key = parseKey(this.#hashing, witness, signatureTypes.cosignature)
      const added = parseSignature(line)
      const last = await this.#last(await this.#noteKey())
      if (last === undefined) throw invalidProof('witness', 'No checkpoint has been signed yet.')
      const { text, signatures } = parseNote(last.text)
      const checks = this.#checks()
      const cosignature = checkCosigned(checks, { text, signatures: [added] }, key)
      const others = signatures.filter((each) => !isOfSameKey(each, added))
      const note = formatNote({ text, signatures: [...others, added] })
      await this.#found.keep(note)
      return { ...last, text: note, cosignature }
    })
  }

  async #last(key: NoteKey): Promise<SignedCheckpoint | undefined> {
    const text = await this.#found.last()
    return text === undefined ? undefined : { ...openCheckpoint(this.#checks(), text, key).head, text }
  }

  async #noteKey(): Promise<NoteKey> {
    const { origin, publicKey } = await this.#found.identity()
    return { name: origin, type: signatureTypes.note, publicKey }
  }

  #shown(key: NoteKey): LogKey {
    return { origin: key.name, key: formatKey(this.#hashing, key) }
  }

  #checks() {
    const signer = this.#found
    return { hashing: this.#hashing, verifySignature: signer.verify.bind(signer) }
  }

  get #found(): LogSigner {
    if (this.#signer !== undefined) return this.#signer
    throw new StorageError('NotImplemented', 'This store has no key that signs checkpoints of its log.')
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const outcome = this.#turn.then(work)
    this.#turn = outcome.catch(() => undefined)
    return outcome
  }
}

const isOfSameKey = (a: NoteSignature, b: NoteSignature): boolean => a.name === b.name && sameBytes(a.keyId, b.keyId)
