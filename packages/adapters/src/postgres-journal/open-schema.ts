/** The schema of a journal: found, or created when it is empty. */
import { StorageError } from '@varve/core'
import { type PgClient, rowsOf } from './pg-client.ts'
import type { SchemaName } from './schema-name.ts'
import { assertMayCreate, assertRights } from './schema-rights.ts'
import { addMeta, createSchema, createTables, marker, schemaVersion } from './schema-tables.ts'
import { beginSnapshot, hasSchema, lockUntilCommit, type Statements, tablesOf } from './statements.ts'

export interface OpenedSchema {
  readonly schema: SchemaName
  readonly statements: Statements
  readonly create: boolean
  readonly readOnly: boolean
  /** The events of a part of a log that is created. */
  readonly partEvents: number
}

/**
 * Resolves with the id of the store.
 * @throws StorageError `StoreNotFound`: the schema has other content, or there is none and it is not to be created;
 * `UnsupportedFormat` (`details.kind` is `newer`); `LogCorrupt`: the head and the events differ; `JournalFailed`: `details.kind` is `rights`
 */
export async function openSchema(client: PgClient, opened: OpenedSchema): Promise<string> {
  const { schema, statements, create, readOnly } = opened
  const isEmpty = (await namesIn(client, schema)).size === 0
  if (isEmpty && (readOnly || !create)) throw noStore(schema)
  if (isEmpty) await createStore(client, opened)
  const store = await foundStore(client, { schema, statements, readOnly })
  await assertWhole(client, statements)
  return store
}

/** The id of the store that is there. @throws StorageError as `openSchema` */
async function foundStore(
  client: PgClient,
  { schema, statements, readOnly }: Pick<OpenedSchema, 'schema' | 'statements' | 'readOnly'>,
): Promise<string> {
  const found = await namesIn(client, schema)
  if (found.size === 0) throw noStore(schema)
  if (!found.has('meta')) throw foreign(schema)
  await assertRights(client, schema, { readOnly })
  return storeIn(client, schema, statements)
}

/** Engines that open an empty schema at the same time create it once. */
async function createStore(client: PgClient, { schema, partEvents }: OpenedSchema): Promise<void> {
  const isThere = (await rowsOf(client, hasSchema, [schema.name])).length > 0
  await assertMayCreate(client, schema, isThere)
  await rowsOf(client, 'BEGIN ISOLATION LEVEL READ COMMITTED')
  await rowsOf(client, lockUntilCommit, [schema.creating])
  if ((await namesIn(client, schema)).size === 0) {
    // To create a schema that is there needs the right to create schemas.
    if ((await rowsOf(client, hasSchema, [schema.name])).length === 0) await rowsOf(client, createSchema(schema))
    for (const text of createTables(schema, partEvents)) await rowsOf(client, text)
    await rowsOf(client, addMeta(schema), [marker, schemaVersion])
  }
  await rowsOf(client, 'COMMIT')
}

async function storeIn(client: PgClient, schema: SchemaName, statements: Statements): Promise<string> {
  const rows = await rowsOf(client, statements.meta).catch((error: unknown) => {
    // undefined_column
    if (error instanceof Error && 'code' in error && error.code === '42703') return []
    throw error
  })
  const [mark, found, store] = rows[0] ?? []
  if (mark !== marker || typeof store !== 'string') throw foreign(schema)
  assertKnown(Number(found))
  return store
}

/** @throws StorageError `UnsupportedFormat`: `details.kind` is `newer` */
export function assertKnown(version: number): void {
  if (version === schemaVersion) return
  const message = `The schema has version ${version}; this release knows version ${schemaVersion}.`
  throw new StorageError('UnsupportedFormat', message, { details: { kind: 'newer' } })
}

/** The head and the events are read in one state. @throws StorageError `LogCorrupt`: `details.kind` is `head` */
async function assertWhole(client: PgClient, statements: Statements): Promise<void> {
  await rowsOf(client, beginSnapshot)
  const [[head = ''] = []] = await rowsOf(client, statements.head)
  const [[last = ''] = []] = await rowsOf(client, statements.lastFrom, [head])
  await rowsOf(client, 'COMMIT')
  if (head === last) return
  const message = `The log ends at ${last}, but its head is ${head}.`
  throw new StorageError('LogCorrupt', message, { details: { kind: 'head' } })
}

/** What is in the schema. */
const namesIn = async (client: PgClient, { name }: SchemaName): Promise<ReadonlySet<string>> =>
  new Set((await rowsOf(client, tablesOf, [name])).map(([table]) => table ?? ''))

const notFound = (message: string): StorageError => new StorageError('StoreNotFound', message)
const noStore = ({ name }: SchemaName): StorageError => notFound(`The database has no store in the schema ${name}.`)
const foreign = ({ name }: SchemaName): StorageError => notFound(`The schema ${name} has other content than a store.`)
