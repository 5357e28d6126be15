/** Where stores are moved to: each to a schema and a directory of its own, which commits can be kept from changing. */
import { mkdir } from 'node:fs/promises'
import { administrator, type PostgresServer } from '#adapters/postgres-journal/postgres-server.fixture'
import { serve, type Server, varve } from '../cli/run-varve.ts'
import { rootKeys as keys } from './moving-clients.ts'

export interface MovingPlace {
  /** As `migrate` takes it. */
  readonly to: string
  /** What a node of it is started with, but for its keys. */
  readonly served: readonly string[]
  readonly schema: string
}

let schemas = 0

export async function movingPlace({ connection }: PostgresServer, blobs: string): Promise<MovingPlace> {
  const { host, user, database } = connection
  const schema = `moved${++schemas}`
  const journal = `postgres:///${database}?host=${encodeURIComponent(host)}&user=${user}&schema=${schema}`
  await mkdir(blobs)
  return { to: `${journal}+file://${blobs}`, served: ['--journal', journal, '--blobs', `file://${blobs}`], schema }
}

/** A server of a new store with a bucket. */
export async function filledServer(dir: string): Promise<Server> {
  const server = await serve([dir], keys)
  const made = await varve(['mb', 's3://box', '--versioning'], { ...keys, VARVE_ENDPOINT: server.url })
  if (made.status !== 0) throw new Error(made.stderr)
  return server
}

/** A change of rows whose keys have a beginning, in hexadecimal. */
export interface Trapped {
  readonly change: 'DELETE' | 'INSERT'
  readonly key: string
  /** Whether the change hangs, or fails. */
  readonly how: 'hangs' | 'fails'
}

/** Keeps commits from one kind of change, until it is released. */
export async function trap(database: PostgresServer, { schema }: MovingPlace, { change, key, how }: Trapped) {
  const admin = await administrator(database)
  const row = change === 'DELETE' ? 'OLD' : 'NEW'
  const body = how === 'hangs' ? `PERFORM pg_sleep(600); RETURN ${row};` : `RAISE EXCEPTION 'trapped';`
  const caught = "FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
  await admin.run(
    `CREATE FUNCTION public.trap_${schema}() RETURNS trigger LANGUAGE plpgsql AS $trap$ BEGIN ${body} END $trap$`,
    `CREATE TRIGGER trap BEFORE ${change} ON ${schema}.rows FOR EACH ROW
      WHEN (substring(${row}.key FROM 1 FOR ${key.length / 2}) = '\\x${key}') EXECUTE FUNCTION public.trap_${schema}()`,
  )
  return {
    /** How many commits hang. */
    caught: async () => Number((await admin.run(`SELECT count(*) ${caught}`))[0]?.[0]),
    /** What hangs is never carried out. */
    async release(): Promise<void> {
      await admin.run(`SELECT pg_terminate_backend(pid, 10000) ${caught}`, `DROP TRIGGER trap ON ${schema}.rows`)
      await admin.end()
    },
  }
}
