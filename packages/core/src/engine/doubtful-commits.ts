/**
 * The commits of one group whose outcome is unknown, because the connection to the journal broke. Such a commit may still be carried out
 * at any later time, so that the log does not have it now proves nothing. But each one expects the same end of the log, and the membership of
 * this engine. So it can never be carried out once the log has gone on without it, or once the membership has ended: that is the fence. Usually
 * the next attempt of the group is the commit with which the log goes on.
 *
 * A commit that the log has may be on the primary alone, if its wait for standbys was cancelled. Another commit that
 * resolves shows that they have everything before it, if the log still has the commit then.
 */
import { isStorageError } from '../base/errors.ts'
import { corruptEvent } from '../events/event-codec.ts'
import { type LogPorts, tipAt } from '../events/log.ts'
import type { Journal, Seq, Tip } from '../ports/index.ts'
import type { Sharing } from '../sharing/sharing.ts'
import type { KnownLog } from './known-log.ts'

export interface DoubtfulCommitsOptions extends LogPorts {
  readonly journal: Pick<Journal, 'events' | 'recovers'>
  readonly known: Pick<KnownLog, 'seq'>
  readonly sharing: Pick<Sharing, 'beat' | 'renew'>
  /** Follows the log up to its end. */
  follow(): Promise<void>
}

interface DoubtfulCommit<D> {
  readonly end: Tip
  readonly decided: D
}

/** How many failures of the journal a group outlives. */
const failuresMax = 8
/** The pause before the third attempt, in milliseconds; then it doubles. The second one follows at once. */
const pauseMs = 100

export class DoubtfulCommits<D> {
  readonly #options: DoubtfulCommitsOptions
  readonly #commits: DoubtfulCommit<D>[] = []
  /** The end of the log that all of them expect. */
  #base: Seq = 0
  #isFenced = false
  #failures = 0

  constructor(options: DoubtfulCommitsOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#commits.length === 0
  }

  /** True if the log has gone on, with one of these commits or without: before it is known which, the group is not decided again. */
  get isOvertaken(): boolean {
    return !this.isEmpty && this.#options.known.seq > this.#base
  }

  add(end: Tip, decided: D): void {
    this.#base = this.#options.known.seq
    this.#commits.push({ end, decided })
  }

  /**
   * Milliseconds until the group is tried again after an error of the journal, which may pass.
   * @throws the error, if it will not
   */
  pauseAfter(error: unknown): number {
    const mayPass = isStorageError(error, 'JournalFailed', ...(this.isEmpty ? [] : ['TooManyOpenFiles' as const]))
    if (this.#options.journal.recovers !== true || !mayPass || ++this.#failures > failuresMax) throw error
    return this.#failures === 1 ? 0 : pauseMs * 2 ** (this.#failures - 2)
  }

  /** What was decided for the commit that the log has, once it is durable; `undefined` if it has none of them yet. */
  async settled(): Promise<D | undefined> {
    if (this.isEmpty) return undefined
    const { follow, sharing } = this.#options
    await follow()
    if (!this.isOvertaken && !this.#isFenced) return undefined
    const found = await this.#find()
    if (found !== undefined) {
      await sharing.beat()
      await follow()
      if (!(await this.#isThere(found))) throw corruptEvent(found.end.seq, 'chain')
    }
    this.#commits.length = 0
    this.#isFenced = false
    return found?.decided
  }

  /**
   * For a group that has nothing to commit any more. Resolves with false if one of these commits could still be carried out: from
   * now on, none can.
   */
  async fence(): Promise<boolean> {
    if (this.isEmpty) return true
    await this.#options.sharing.renew()
    this.#isFenced = true
    return false
  }

  async #find(): Promise<DoubtfulCommit<D> | undefined> {
    for (const commit of this.#commits) if (await this.#isThere(commit)) return commit
    return undefined
  }

  /** The hashes of the events are chained, so the last one shows all of them. */
  async #isThere({ end: { seq, hash } }: DoubtfulCommit<D>): Promise<boolean> {
    return this.#options.known.seq >= seq && (await tipAt(this.#options, seq)).hash === hash
  }
}
