/**
 * Connections for short work, and connections for snapshots: each open snapshot needs one of its own. They are apart,
 * so readers that hold snapshots never keep a commit from its connection.
 */
import { type RowSnapshotOptions, StorageError } from '@varve/core'
import { Turns } from '../system/turns.ts'
import { CheckedClients, type CheckServer } from './checked-clients.ts'
import { ConfirmedServer } from './confirmed-server.ts'
import { type PgClient, type PgPool, rowsOf, type TextRow } from './pg-client.ts'
import { isLostConnection, mayBeConnectedLater } from './postgres-failure.ts'
import { beginSnapshot } from './statements.ts'

export interface ConnectionsOptions {
  /** Of at most so many connections, whose errors are heard while they are not in use. */
  openPool(max: number): PgPool
  /** The most connections for commits and for reads beside snapshots. */
  readonly work: number
  /** The most snapshots of readers at once. */
  readonly snapshots: number
  /** How long to wait for a free connection, and for a server that does not answer. */
  readonly waitMs: number
}

/** How a journal uses its database. */
export interface DatabaseStatus {
  /** Milliseconds since the database last answered. */
  readonly silentMs: number
  /** Connections for commits and for reads beside snapshots. */
  readonly work: ConnectionsInUse
  /** Connections of snapshots. */
  readonly snapshots: ConnectionsInUse
}

/** Connections for one purpose. */
export interface ConnectionsInUse {
  readonly used: number
  /** What waits for a connection. */
  readonly waiting: number
}

/** A state of the database that does not change. */
export interface HeldSnapshot {
  rows(text: string, values: readonly unknown[]): Promise<readonly TextRow[]>
  /** Idempotent. The transaction ends in the background. */
  release(): void
}

interface Lane {
  readonly pool: PgPool
  readonly slots: Turns
}

interface Connected {
  readonly client: PgClient
  /** The snapshot of a read has begun with the check. */
  readonly isBegun: boolean
}

const pauseMs = 100

export class Connections {
  readonly #work: Lane
  readonly #snapshots: Lane
  readonly #turns: Lane
  /** For the state in which a writer decides: readers that hold all snapshots may wait for the writer. */
  readonly #writing: Lane
  readonly #waitMs: number
  readonly #held = new Set<() => void>()
  readonly #ending = new Set<Promise<void>>()
  readonly #server: ConfirmedServer
  readonly #clients: CheckedClients
  /** Since when no connection could be made. */
  #outageFrom: number | undefined
  #answeredAt = performance.now()
  readonly #answered = (): void => {
    this.#answeredAt = performance.now()
  }
  #closed = false

  constructor({ openPool, work, snapshots, waitMs }: ConnectionsOptions) {
    const lane = (max: number): Lane => ({
      pool: openPool(max),
      slots: new Turns({ max, waitMs, what: { kind: 'connections', of: 'the database' } }),
    })
    this.#work = lane(work)
    this.#snapshots = lane(snapshots)
    this.#turns = lane(1)
    this.#writing = lane(1)
    this.#server = new ConfirmedServer(openPool(1), waitMs)
    this.#clients = new CheckedClients(this.#server, waitMs)
    this.#waitMs = waitMs
  }

  /** Every connection runs `check` before it is used. Until this is set, a server that does not answer is an error at once. */
  checkEach(check: CheckServer): void {
    this.#clients.checkEach(check)
  }

  /** Runs work on a connection. After a failure the connection is closed: what it is still doing is not known. */
  async run<T>(work: (client: PgClient) => Promise<T>): Promise<T> {
    return this.#on(await this.#connect(this.#work, false), work)
  }

  /** Reads the newest committed state. */
  rows(text: string, values: readonly unknown[]): Promise<readonly TextRow[]> {
    return this.#reading(this.#work, (connected) => this.#on(connected, (client) => rowsOf(client, text, values)))
  }

  async #on<T>({ client, isBegun }: Connected, work: (client: PgClient) => Promise<T>): Promise<T> {
    let done = false
    try {
      const result = await work(client)
      if (isBegun) await rowsOf(client, 'COMMIT')
      done = true
      this.#answered()
      return result
    } finally {
      client.release(!done)
      this.#work.slots.give()
    }
  }

  /** The connection of this journal for its turn at the end of the log. `give` closes it, if what it is doing is not known. */
  async turn(): Promise<{ readonly client: PgClient; give(isKnown: boolean): void }> {
    // What a turn reads is decided on only with a commit, and a commit waits for all before it.
    const { client } = await this.#connect(this.#turns, false)
    return {
      client,
      give: (isKnown) => {
        if (isKnown) this.#answered()
        client.release(!isKnown)
        this.#turns.slots.give()
      },
    }
  }

  /** The newest committed state. @throws StorageError `JournalFailed` for a standby, `TooManyOpenFiles` */
  hold({ forWriter = false }: RowSnapshotOptions = {}): Promise<HeldSnapshot> {
    const lane = forWriter ? this.#writing : this.#snapshots
    return this.#reading(lane, (connected) => this.#heldOn(lane, connected))
  }

  /** Reads again, once, if the connection was lost: a read changes nothing. In the pause, the pool notices other lost connections. */
  async #reading<T>(lane: Lane, read: (connected: Connected) => Promise<T>): Promise<T> {
    const connected = await this.#connect(lane, true)
    try {
      return await read(connected)
    } catch (error) {
      if (this.#closed || !isLostConnection(error)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return read(await this.#connect(lane, true))
  }

  async #heldOn(lane: Lane, { client, isBegun }: Connected): Promise<HeldSnapshot> {
    let isReleased = false
    const end = (destroy: boolean): void => {
      if (isReleased) return
      isReleased = true
      this.#held.delete(abandon)
      client.release(destroy)
      lane.slots.give()
    }
    const abandon = (): void => end(true)
    this.#held.add(abandon)
    try {
      if (this.#closed) throw closed()
      // The check that has begun it has refused a standby.
      if (!isBegun && (await rowsOf(client, beginSnapshot))[0]?.[0] !== 'f') throw standby()
      this.#answered()
    } catch (error) {
      abandon()
      throw error
    }
    let isEnding = false
    // A connection runs one statement at a time.
    let last: Promise<unknown> = Promise.resolve()
    const next = (text: string, values?: readonly unknown[]): Promise<readonly TextRow[]> => {
      const rows = last.then(() => rowsOf(client, text, values))
      last = rows.then(this.#answered, () => undefined)
      return rows
    }
    return {
      rows: next,
      release: () => {
        if (isEnding || isReleased) return
        isEnding = true
        const ending = next('COMMIT')
          .then(() => end(false), abandon)
          .finally(() => this.#ending.delete(ending))
        this.#ending.add(ending)
      },
    }
  }

  get status(): DatabaseStatus {
    const silentMs = performance.now() - this.#answeredAt
    return { silentMs, work: this.#work.slots.use, snapshots: this.#snapshots.slots.use }
  }

  /** Ends all snapshots. Work that has begun is done first. */
  async close(): Promise<void> {
    this.#closed = true
    const lanes = [this.#work, this.#snapshots, this.#turns, this.#writing]
    for (const { slots } of lanes) slots.end(closed())
    for (const abandon of this.#held) abandon()
    await Promise.allSettled([...this.#ending, ...lanes.map(({ pool }) => pool.end()), this.#server.close()])
  }

  async #connect(lane: Lane, isReading: boolean): Promise<Connected> {
    await lane.slots.take()
    try {
      return await this.#checkedClient(lane.pool, isReading)
    } catch (error) {
      lane.slots.give()
      throw error
    }
  }

  /** An outage is waited for once: all who ask while it lasts have the end of the first one, and a try of their own. */
  async #checkedClient(pool: PgPool, isReading: boolean): Promise<Connected> {
    for (;;) {
      try {
        const connected = await this.#clientOf(pool, isReading)
        this.#outageFrom = undefined
        return connected
      } catch (error) {
        if (this.#closed) throw closed()
        if (!this.#clients.isChecking || !mayBeConnectedLater(error)) throw error
        this.#outageFrom ??= performance.now()
        if (performance.now() > this.#outageFrom + this.#waitMs) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  async #clientOf(pool: PgPool, isReading: boolean): Promise<Connected> {
    const client = await pool.connect()
    try {
      return { client, isBegun: await this.#clients.check(client, isReading) }
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

const closed = (): StorageError => new StorageError('JournalClosed', 'The journal is closed.')

export const standby = (): StorageError =>
  new StorageError('JournalFailed', 'The server is a standby, which may be behind.', { details: { kind: 'standby' } })
