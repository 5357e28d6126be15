/** Raises the schema of a journal to the newest version, while engines commit and read. */
import { schema as checks, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import { defaultPartEvents } from './log-parts.ts'
import { foundStore } from './open-schema.ts'
import { loadPg, type PgClient, type PgPool, rowsOf } from './pg-client.ts'
import { mayBeTriedAgain, postgresFailure } from './postgres-failure.ts'
import { poolsOf } from './pools.ts'
import { type PostgresUpgradeOptions, upgradeOptions } from './postgres-options.ts'
import { type SchemaName, schemaName } from './schema-name.ts'
import { withoutRights } from './schema-rights.ts'
import { schemaVersion } from './schema-tables.ts'
import { checkServer } from './server-checks.ts'
import { lockUntilCommit, statementsOf } from './statements.ts'
import * as sql from './upgrade-statements.ts'
import { replicatedRows } from './write-commit.ts'

/** What an upgrade of the tables has done: the versions are equal if there was nothing to do. */
export interface PostgresUpgrade {
  /** The version that was found. */
  readonly from: number
  readonly to: number
}

/** Locks of others, such as a copy of the database: about a minute. */
const attempts = 60
const pauseMs = 700
const waitMs = 30_000

interface Upgrade {
  readonly pool: PgPool
  readonly schema: SchemaName
  /** Of the tables, as SQL has it. */
  readonly owner: string
  readonly partEvents: number
  readonly signal: AbortSignal | undefined
}

/**
 * The role must own the tables, or be a member of the role that does. Resolves at once if the schema has the newest version. An interrupted upgrade leaves version 1.
 * @throws StorageError what `openPostgresJournal` throws, and the reason of `signal`
 */
export async function upgradePostgresJournal(given: PostgresUpgradeOptions = {}): Promise<PostgresUpgrade> {
  const options = checks.checked('options', upgradeOptions, given)
  const { partEvents = defaultPartEvents, signal } = options
  const schema = schemaName(options.schema ?? 'varve')
  const openingPools = poolsOf(options, waitMs)
  const pool = openingPools(await loadPg())(2)
  try {
    const { version, owner } = await withClient(pool, (client) => examined(client, schema))
    if (version < schemaVersion) await upgraded({ pool, schema, owner, partEvents, signal })
    return { from: version, to: schemaVersion }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason as Error
    throw postgresFailure(error, 'Upgrading the schema')
  } finally {
    await pool.end()
  }
}

/** @throws StorageError `JournalFailed`: `details.kind` is `rights` */
async function examined(
  client: PgClient,
  schema: SchemaName,
): Promise<{ readonly version: number; readonly owner: string }> {
  await checkServer(client, true)
  const { version } = await foundStore(client, { schema, statements: statementsOf(schema), readOnly: true })
  const [[owner, name, isMember, mayCreate, role] = []] = await rowsOf(client, sql.ownerOf, [schema.name])
  if (isMember !== 't') throw withoutRights(`The role ${role} is not the owner ${name} of the tables.`, `ROLE ${name}`)
  const missing = `CREATE ON SCHEMA ${schema.name}`
  if (mayCreate !== 't') throw withoutRights(`The owner ${name} of the tables needs ${missing}.`, missing)
  return { version, owner: owner ?? '' }
}

async function upgraded(upgrade: Upgrade): Promise<void> {
  const { schema, partEvents } = upgrade
  const below = await whenUnlocked(upgrade, (client) => bounded(client, upgrade))
  if (below === undefined) return
  try {
    await whenUnlocked(upgrade, (client) =>
      cancellable(upgrade, client, () => rowsOf(client, sql.validate(schema, below))),
    )
    await whenUnlocked(upgrade, async (client) => {
      await rowsOf(client, lockUntilCommit, [schema.creating])
      for (const text of sql.lockLog(schema)) await rowsOf(client, text)
      if (await isNewest(client, schema)) return
      for (const text of sql.raise(schema, below, partEvents)) await rowsOf(client, text)
    })
  } catch (error) {
    // The constraint would refuse events in the end.
    const isDone = await whenUnlocked({ ...upgrade, signal: undefined }, async (client) => {
      await rowsOf(client, sql.dropConstraint(schema, below))
      return isNewest(client, schema)
    }).catch(() => false)
    // Another upgrade was faster.
    if (!isDone) throw error
  }
}

/** Bounds the events of version 1. Commits go on, at least for the events of a part. Resolves with the bound. */
async function bounded(client: PgClient, { schema, partEvents }: Upgrade): Promise<number | undefined> {
  await rowsOf(client, lockUntilCommit, [schema.creating])
  if (await isNewest(client, schema)) return undefined
  const head = Number((await rowsOf(client, statementsOf(schema).head))[0]?.[0])
  const ofUpgrades = (await rowsOf(client, sql.constraints, [schema.name])).filter(([, isBound]) => isBound === 't')
  const bounds = ofUpgrades.map(([name]) => Number(name?.split('_').at(-1)))
  // Another upgrade is under way, or was killed.
  const there = bounds.find((bound) => bound - head > partEvents)
  if (there !== undefined) return there
  for (const bound of bounds) await rowsOf(client, sql.dropConstraint(schema, bound))
  const below = (Math.floor(head / partEvents) + 2) * partEvents
  await rowsOf(client, sql.addConstraint(schema, below))
  return below
}

const isNewest = async (client: PgClient, schema: SchemaName): Promise<boolean> =>
  Number((await rowsOf(client, statementsOf(schema).meta))[0]?.[1]) === schemaVersion

/** Runs a transaction with the rights of the owner. If it waits for a lock too long, it is tried again. */
async function whenUnlocked<T>({ pool, owner, signal }: Upgrade, work: (client: PgClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await withClient(pool, async (client) => {
        await rowsOf(client, `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL ROLE ${owner}; ${limits}`)
        const result = await work(client)
        await replicatedRows(client, 'COMMIT')
        return result
      })
    } catch (error) {
      if (!isLocked(error) && !mayBeTriedAgain(error)) throw error
      if (attempt === attempts) throw locked(error)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

const limits = `SET LOCAL lock_timeout = '300ms'; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '10s'`

/** The server ends the statement if the upgrade is stopped. */
async function cancellable<T>({ pool, signal }: Upgrade, client: PgClient, work: () => Promise<T>): Promise<T> {
  const [[process] = []] = await rowsOf(client, 'SELECT pg_backend_pid()')
  const cancel = (): void =>
    void withClient(pool, (other) => rowsOf(other, 'SELECT pg_cancel_backend($1)', [process])).catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  try {
    return await work()
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

/** Closes the connection, which ends its transaction. */
async function withClient<T>(pool: PgPool, work: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
  }
}

const isLocked = (error: unknown): boolean => errnoOf(error) === '55P03'

const locked = (cause: unknown): StorageError =>
  new StorageError('JournalFailed', 'Others hold the tables, such as a copy of the database.', {
    details: { kind: '55P03' },
    hint: 'Try again later.',
    cause,
  })
