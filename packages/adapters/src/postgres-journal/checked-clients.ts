/**
 * Checks that connections lead to the server that they should. A connection without a pooler is checked before its first use. Behind a
 * pooler in transaction mode, each transaction can be on another server, for example on one that has just taken over. So
 * a transaction that reads is checked in itself.
 */
import { StorageError } from '@varve/core'
import type { ConfirmedServer } from './confirmed-server.ts'
import { type PgClient, rowsOf } from './pg-client.ts'
import { withinTime } from './within-time.ts'

export interface FoundServer {
  /** What the start of the server is known by. */
  readonly start: string
  /** The process that the connection was promised is not the one that answers. */
  readonly isPooled: boolean
}

/** Checks the server of a connection. `isReading`: begins a snapshot, and checks its server. @throws StorageError `JournalFailed` */
export type CheckServer = (client: PgClient, isReading: boolean) => Promise<FoundServer>

export class CheckedClients {
  readonly #server: ConfirmedServer
  readonly #waitMs: number
  readonly #direct = new WeakSet<PgClient>()
  readonly #pooled = new WeakSet<PgClient>()
  #check: CheckServer | undefined

  constructor(server: ConfirmedServer, waitMs: number) {
    this.#server = server
    this.#waitMs = waitMs
  }

  checkEach(check: CheckServer): void {
    this.#check = check
  }

  get isChecking(): boolean {
    return this.#check !== undefined
  }

  /**
   * Resolves with true if the snapshot that `isReading` asks for has begun: then its server is known.
   * @throws StorageError `JournalFailed`, `TooManyOpenFiles`: a pooler had no free connection for `waitMs`
   */
  async check(client: PgClient, isReading: boolean): Promise<boolean> {
    const check = this.#check
    if (check === undefined || this.#direct.has(client)) return false
    if (!this.#pooled.has(client)) {
      const { start, isPooled } = await this.#answered(check(client, false))
      await this.#server.confirm(start)
      ;(isPooled ? this.#pooled : this.#direct).add(client)
      if (!isPooled) return false
    }
    while (isReading) {
      const { start } = await this.#answered(check(client, true))
      if (this.#server.isConfirmed(start)) return true
      // The pooler may need this connection for the commit that confirms.
      await rowsOf(client, 'ROLLBACK')
      await this.#server.confirm(start)
    }
    return false
  }

  /** A pooler takes a statement long before it has a server for it. */
  #answered(found: Promise<FoundServer>): Promise<FoundServer> {
    return withinTime(found, this.#waitMs, () => noneFree(this.#waitMs))
  }
}

const noneFree = (waitMs: number): StorageError =>
  new StorageError('TooManyOpenFiles', `The database gave no connection for ${waitMs} ms.`, {
    details: { kind: 'connections' },
  })
