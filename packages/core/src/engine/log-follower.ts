/** Follows what other engines commit, for the writer of this engine and for its readers. */
import { isStorageError, type StorageError } from '../base/errors.ts'
import type { Journal, Seq } from '../ports/index.ts'
import type { KnownLog } from './known-log.ts'

export interface LogFollowerOptions {
  readonly journal: Pick<Journal, 'recovers'>
  readonly known: Pick<KnownLog, 'seq' | 'follow'>
}

/** The writer that follows, too. */
interface FollowingWriter {
  /** Why the writer takes no more commands. */
  readonly failure: StorageError | undefined
  fail(cause: unknown): StorageError
  /** Runs work while no commit is in flight. */
  exclusively(work: () => Promise<void>): Promise<void>
}

export class LogFollower {
  readonly #options: LogFollowerOptions
  readonly #writer: FollowingWriter
  #following: Promise<void> | undefined
  /** The log is not the one that this engine knows: nothing can be read any more. */
  #lost: StorageError | undefined

  constructor(options: LogFollowerOptions, writer: FollowingWriter) {
    this.#options = options
    this.#writer = writer
  }

  /**
   * Follows the log up to a position that another engine may have committed. A journal that recovers shows the outcome of every commit, so it
   * is followed by readers also when the writer has failed.
   * @throws StorageError `StoreFailed`; what a journal that recovers throws
   */
  async to(seq: Seq): Promise<void> {
    const { journal, known } = this.#options
    while (known.seq < seq) {
      const refusal = journal.recovers === true ? this.#lost : this.#writer.failure
      if (refusal !== undefined) throw refusal
      this.#following ??= this.#writer
        .exclusively(() => this.now(seq))
        .finally(() => {
          this.#following = undefined
        })
      await this.#following
    }
  }

  /** Follows the log at least up to `seen`. No commit may be in flight. @throws as `to` does */
  async now(seen: Seq = this.#options.known.seq): Promise<void> {
    const { journal, known } = this.#options
    try {
      await known.follow(seen)
    } catch (error) {
      if (journal.recovers === true && isStorageError(error, 'JournalFailed', 'TooManyOpenFiles')) throw error
      throw (this.#lost = this.#writer.fail(error))
    }
  }
}
