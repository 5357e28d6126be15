/** Pools of connections to the database of a journal. */
import type { Pg, PgOptions, PgPool } from './pg-client.ts'
import type { PostgresAddress } from './postgres-options.ts'
import { tlsFrom } from './tls-files.ts'
import { type TlsFiles, tlsSettings } from './tls-settings.ts'

/**
 * Returns what makes pools of at most so many connections, with the package pg.
 * @throws StorageError `InvalidArgument`: unknown or contradictory settings of TLS, or settings that do not verify the server. Making
 * a pool throws `JournalFailed` (`details.kind` is `tls`) for files that cannot be used
 */
export function poolsOf(address: PostgresAddress, waitMs: number): (pg: Pg) => (max: number) => PgPool {
  const connection = connectionOf(address, waitMs)
  const { ssl, connectionString, sslnegotiation, files } = tlsSettings(connection, process.env)
  const options = {
    ...connection,
    ssl,
    ...(connectionString !== undefined && { connectionString }),
    ...(sslnegotiation !== undefined && { sslnegotiation }),
  }
  return (pg) => {
    const own = files === undefined ? options : { ...options, Client: clientWith(pg, files) }
    return (max) => quiet(new pg.Pool({ ...own, max }))
  }
}

/** A connection that breaks while it is not in use is replaced. Without listeners, the errors end the process. */
function quiet(pool: PgPool): PgPool {
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** A connection that breaks without a word is noticed by its keep-alive packets. */
const connectionOf = ({ connectionString, connection }: PostgresAddress, waitMs: number): Readonly<PgOptions> => ({
  application_name: 'varve',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: waitMs,
  ...connection,
  ...(connectionString !== undefined && { connectionString }),
})

/** A pool of pg keeps its options. With TLS, each of its connections has the certificates of the moment. */
function clientWith({ Client }: Pg, files: TlsFiles): Pg['Client'] {
  const tlsNow = tlsFrom(files)
  return class extends Client {
    constructor(options: PgOptions) {
      options['ssl'] = tlsNow()
      super(options)
    }
  }
}
