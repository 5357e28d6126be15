/**
 * Copies the commits of a store into the tables of a store in PostgreSQL, many at once. A log of millions of events gets there in
 * minutes. The rows are in the table in the order in which commits wrote them, as nodes leave it.
 */
import type { Commit, RowChange } from '@varve/core'
import type { DatabaseClient } from './node-database.ts'

/** The tables of current objects and of versions. Here each of their rows is put once, so that it can be copied. */
const copiedTables = new Set([0x20, 0x21])

/** The binary form of COPY. */
const copyHeader = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const copyTrailer = Buffer.from([0xff, 0xff])

const eventsPerCopy = 20_000

export class CopiedCommits {
  readonly #client: DatabaseClient
  readonly #schema: string
  /** Where the log in PostgreSQL ends, with what is on its way. */
  #sent: number
  #events: Buffer[] = []
  #copied: Buffer[] = []
  readonly #others = new Map<string, RowChange>()
  #sending: Promise<void> = Promise.resolve()

  /** `seq`: the end of the log that is there already. */
  constructor(client: DatabaseClient, schema: string, seq: number) {
    this.#client = client
    this.#schema = schema
    this.#sent = seq
  }

  /** Takes a commit. Waits until the events before the last ones are in the database, so that few are in memory. */
  async add({ events, rows }: Commit): Promise<void> {
    for (const event of events) this.#events.push(Buffer.from(event))
    for (const row of rows) {
      if (row.value !== null && copiedTables.has(row.key[0] as number)) this.#copied.push(tuple(row.key, row.value))
      else this.#others.set(Buffer.from(row.key).toString('latin1'), row)
    }
    if (this.#events.length >= eventsPerCopy) await this.#send()
  }

  /** Resolves when the database has all of it. */
  async flush(): Promise<void> {
    await this.#send()
    await this.#sending
  }

  async #send(): Promise<void> {
    await this.#sending
    const from = this.#sent
    const events = this.#events.map((bytes, at) => tuple(positionOf(from + at + 1), bytes))
    this.#sent += events.length
    const copied = this.#copied
    const others = [...this.#others.values()]
    this.#events = []
    this.#copied = []
    this.#others.clear()
    this.#sending = this.#commit({ from, events, copied, others })
    // The next call that sends gets the error.
    this.#sending.catch(() => undefined)
  }

  /** One transaction, as a commit of a node: other nodes see all of it or nothing. */
  async #commit(given: {
    readonly from: number
    readonly events: readonly Buffer[]
    readonly copied: readonly Buffer[]
    readonly others: readonly RowChange[]
  }): Promise<void> {
    const { from, events, copied, others } = given
    const schema = this.#schema
    await this.#client.query('BEGIN')
    const { rowCount } = await this.#client.query(`UPDATE ${schema}.head SET seq = $2 WHERE seq = $1`, [
      from,
      from + events.length,
    ])
    if (rowCount !== 1) throw new Error(`The log in PostgreSQL does not end at ${from}.`)
    await this.#client.query(`SELECT ${schema}.add_parts()`)
    await this.#client.copy(`${schema}.events (seq, bytes)`, Buffer.concat([copyHeader, ...events, copyTrailer]))
    await this.#client.copy(`${schema}.rows (key, value)`, Buffer.concat([copyHeader, ...copied, copyTrailer]))
    for (const { key, value } of others) {
      if (value === null) await this.#client.query(`DELETE FROM ${schema}.rows WHERE key = $1`, [Buffer.from(key)])
      else
        await this.#client.query(
          `INSERT INTO ${schema}.rows (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
          [Buffer.from(key), Buffer.from(value)],
        )
    }
    await this.#client.query('COMMIT')
  }
}

function positionOf(seq: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(seq))
  return bytes
}

function tuple(...fields: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 + fields.reduce((size, field) => size + 4 + field.length, 0))
  let at = bytes.writeInt16BE(fields.length, 0)
  for (const field of fields) {
    at = bytes.writeInt32BE(field.length, at)
    bytes.set(field, at)
    at += field.length
  }
  return bytes
}
