/** A connection to the database of nodes, and the database itself, to measure it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface DatabaseClient {
  query(text: string, values?: readonly unknown[]): Promise<Found>
  /** `COPY target FROM STDIN` with these bytes, in the binary form. */
  copy(target: string, bytes: Buffer): Promise<void>
  end(): Promise<void>
}

export interface Found {
  readonly rows: readonly Readonly<Record<string, string>>[]
  readonly rowCount: number
}

/** The process of the server is known, and so its processor time. */
export interface Database extends DatabaseClient {
  readonly postmaster: number
}

/** What `pg` calls while a statement of ours runs. */
interface Connection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
interface Submitted {
  submit(connection: Connection): void
  handleCopyInResponse(connection: Connection): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}
interface PgClient {
  connect(): Promise<void>
  query(text: string, values?: readonly unknown[]): Promise<Found>
  query(submitted: Submitted): unknown
  end(): Promise<void>
}

export async function openDatabase(address: string): Promise<Database> {
  const { Client } = createRequire(import.meta.url)('pg') as { Client: new (address: string) => PgClient }
  const client = new Client(address)
  await client.connect()
  const { rows } = await client.query(`SELECT setting FROM pg_settings WHERE name = 'data_directory'`)
  const [pid] = readFileSync(join(rows[0]?.['setting'] ?? '', 'postmaster.pid'), 'utf8').split('\n')
  return {
    postmaster: Number(pid),
    query: (text, values) => client.query(text, values),
    copy: (target, bytes) => copy(client, target, bytes),
    end: () => client.end(),
  }
}

function copy(client: PgClient, target: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    client.query({
      submit: (connection) => connection.query(`COPY ${target} FROM STDIN (FORMAT binary)`),
      handleCopyInResponse(connection) {
        connection.sendCopyFromChunk(bytes)
        connection.endCopyFrom()
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
      handleError(error) {
        failure = error
        reject(error)
      },
    })
  })
}
