/**
 * The log in a database, once for all journals on it: if each kept a head of its own, one would write over the events of
 * another.
 */
import type { Seq } from '@varve/core'
import { endOfEvents, firstEventKey, seqOf } from '../journal-kit/key-spaces.ts'
import type { LevelDatabase } from './level-database.ts'

/** The logs of databases with journals. After a failure the next opening reads the log again. */
const logs = new WeakMap<LevelDatabase, LevelLog>()

/** Opens the database if it is closed, and reads its head. Call `close` once for each call. */
export async function openLevelLog(db: LevelDatabase): Promise<LevelLog> {
  const log = logs.get(db) ?? new LevelLog(db)
  logs.set(db, log)
  await log.open()
  return log
}

export class LevelLog {
  head: Seq = 0
  /** The failure of a batch, whose outcome is unknown to every journal on the database. */
  failure: unknown
  readonly #db: LevelDatabase
  #journals = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(db: LevelDatabase) {
    this.#db = db
  }

  /** Runs work while no other work does: one batch is written at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const outcome = this.#turn.then(work)
    this.#turn = outcome.catch(() => undefined)
    return outcome
  }

  fail(cause: unknown): void {
    this.failure = cause
    this.#forget()
  }

  open(): Promise<void> {
    return this.inTurn(async () => {
      await this.#db.open()
      this.head = await readHead(this.#db)
      this.#journals++
    })
  }

  /** Closes the database after its last journal, unless another log was opened after a failure of this one. */
  close(): Promise<void> {
    return this.inTurn(async () => {
      this.#journals--
      if (this.#journals > 0 || (logs.get(this.#db) ?? this) !== this) return
      this.#forget()
      await this.#db.close()
    })
  }

  #forget(): void {
    if (logs.get(this.#db) === this) logs.delete(this.#db)
  }
}

async function readHead(db: LevelDatabase): Promise<Seq> {
  const iterator = db.iterator({ gte: firstEventKey, lt: endOfEvents, reverse: true, limit: 1, values: false })
  try {
    const [last] = await iterator.nextv(1)
    return last === undefined ? 0 : seqOf(last[0])
  } finally {
    await iterator.close()
  }
}
