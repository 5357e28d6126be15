/**
 * A server that starts again after a crash, or takes over, shows commits that its standbys may not have: those that still waited for them. A
 * failover could take them back after they were read. So nothing is read from a server before a commit without content has reached
 * the standbys: then they have everything before it.
 */
import { StorageError } from '@varve/core'
import type { PgPool } from './pg-client.ts'
import { confirm } from './statements.ts'
import { withinTime } from './within-time.ts'
import { replicatedRows } from './write-commit.ts'

export class ConfirmedServer {
  readonly #pool: PgPool
  readonly #waitMs: number
  /** The start of the server whose standbys have what it shows. */
  #start: string | undefined
  #confirming: Promise<void> | undefined
  #waitingFrom = 0
  #abandon: (() => void) | undefined

  /** The pool is for this purpose only: a wait for standbys keeps its connection, however long it takes. */
  constructor(pool: PgPool, waitMs: number) {
    this.#pool = pool
    this.#waitMs = waitMs
  }

  isConfirmed(start: string): boolean {
    return start === this.#start
  }

  /**
   * Resolves when the standbys have what the server with this start shows. All callers share one wait, and have its end.
   * @throws StorageError `JournalFailed`: `details.kind` is `notReplicated`; any other error if the server has changed meanwhile
   */
  async confirm(start: string): Promise<void> {
    if (start === this.#start) return
    if (this.#confirming === undefined) {
      this.#waitingFrom = performance.now()
      this.#confirming = this.#confirm().finally(() => (this.#confirming = undefined))
      // All who wait may have given up.
      this.#confirming.catch(() => undefined)
    }
    await withinTime(this.#confirming, this.#waitingFrom + this.#waitMs - performance.now(), notConfirmed)
    if (start !== this.#start) throw new Error('The server has changed.')
  }

  async close(): Promise<void> {
    this.#abandon?.()
    await this.#pool.end()
  }

  async #confirm(): Promise<void> {
    const client = await this.#pool.connect()
    let isReleased = false
    const release = (): void => {
      if (!isReleased) client.release(true)
      isReleased = true
    }
    this.#abandon = release
    try {
      const [[start = ''] = []] = await replicatedRows(client, confirm)
      this.#start = start ?? ''
    } finally {
      release()
    }
  }
}

const notConfirmed = (): StorageError =>
  new StorageError('JournalFailed', 'The standbys may not have what the server shows.', {
    details: { kind: 'notReplicated' },
  })
