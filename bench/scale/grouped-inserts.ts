/**
 * The floor of `bench-nodes`: rows of 4 KiB that PostgreSQL itself inserts, all that wait in one statement and one commit. Answers each
 * message, a number of rows, with the processor time of this process in milliseconds. `node grouped-inserts.js DATABASE WIDTH`
 */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { answerCounts } from '../lib/answer-counts.ts'

interface Client {
  connect(): Promise<void>
  query(text: string, values?: readonly unknown[]): Promise<unknown>
}
const { Client: PgClient } = createRequire(import.meta.url)('pg') as { Client: new (address: string) => Client }

const [database = '', width = ''] = process.argv.slice(2)
const client = new PgClient(database)
await client.connect()
await client.query('CREATE TABLE floor (key bytea PRIMARY KEY, value bytea NOT NULL)')
await client.query('ALTER TABLE floor ALTER COLUMN value SET STORAGE EXTERNAL')

interface Waiting {
  readonly key: Buffer
  resolve(): void
  reject(error: unknown): void
}
const value = Buffer.alloc(4096, 'x')
let waiting: Waiting[] = []
let isWorking = false

async function work(): Promise<void> {
  isWorking = true
  while (waiting.length > 0) {
    // What the same turn of the event loop brings belongs to the group.
    await new Promise((resolve) => setImmediate(resolve))
    const group = waiting
    waiting = []
    const rows = [group.map(({ key }) => key), group.map(() => value)]
    await client.query('INSERT INTO floor SELECT * FROM unnest($1::bytea[], $2::bytea[])', rows).then(
      () => {
        for (const { resolve } of group) resolve()
      },
      (error: unknown) => {
        for (const { reject } of group) reject(error)
      },
    )
  }
  isWorking = false
}

const insert = (): Promise<void> =>
  new Promise((resolve, reject) => {
    waiting.push({ key: randomBytes(32), resolve, reject })
    if (!isWorking) void work()
  })

answerCounts(Number(width), insert)
