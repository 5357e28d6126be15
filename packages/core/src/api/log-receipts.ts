/**
 * Receipts of writes: proofs that are made when the write is committed. Writes that wait for a receipt at the same time share a
 * checkpoint, so it is signed once for all of them.
 */
import type { Engine } from '../engine/engine.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Seq } from '../ports/index.ts'
import type { Receipts } from '../requests/receipts.ts'
import { eventProof } from '../proofs/event-proof.ts'
import type { LogSigning, SignedCheckpoint } from '../proofs/log-signing.ts'
import type { LogTree } from '../proofs/log-tree.ts'
import type { TreeHashes } from '../proofs/merkle-tree.ts'
import { receiptFailed } from '../proofs/proof-errors.ts'

/** A checkpoint, and the hashes that were read for its proofs. */
interface Signed {
  readonly checkpoint: SignedCheckpoint
  readonly hashes: TreeHashes
}

interface ReceiptParts {
  readonly engine: Engine
  readonly jobs: Jobs
  readonly tree: LogTree
  readonly signing: LogSigning
}

export class LogReceipts implements Receipts {
  readonly #parts: ReceiptParts
  /** A checkpoint that is not being signed yet. */
  #next: Promise<Signed> | undefined
  /** The checkpoint that is being signed. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  #isReady = false

  constructor(parts: ReceiptParts) {
    this.#parts = parts
  }

  /** The first call in a process signs, so a tree that has to be made, and a log that cannot be signed, are noticed before the write. */
  async ready(signal: AbortSignal | undefined): Promise<void> {
    const { engine, jobs, tree, signing } = this.#parts
    engine.assertOpen()
    engine.assertWritable()
    if (this.#isReady) return
    await jobs.during(signing.sign(tree, jobs.signalWith(signal)))
    this.#isReady = true
  }

  of(seq: Seq): Promise<string> {
    return this.#parts.jobs.during(this.#made(seq))
  }

  async #made(seq: Seq): Promise<string> {
    try {
      const { checkpoint, hashes } = await this.#signed()
      return await eventProof(this.#parts.engine.ports, hashes, checkpoint, seq)
    } catch (error) {
      throw receiptFailed(seq, error)
    }
  }

  #signed(): Promise<Signed> {
    this.#next ??= this.#signNext()
    return this.#next
  }

  async #signNext(): Promise<Signed> {
    await this.#last
    // Later callers may have events that this checkpoint does not cover.
    this.#next = undefined
    const { jobs, tree, signing } = this.#parts
    const signal = jobs.signalWith(undefined)
    const signed = signing.sign(tree, signal)
    this.#last = signed.catch(() => undefined)
    return { checkpoint: await signed, hashes: tree.hashes(signal) }
  }
}
