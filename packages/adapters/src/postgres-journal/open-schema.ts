/** The schema of a journal: found, or created when it is empty. */
import { StorageError } from '@varve/core'
import { type PgClient, rowsOf } from './pg-client.ts'
import type { SchemaName } from './schema-name.ts'
import { hasSchema, lockUntilCommit, marker, schemaVersion, type Statements, tablesOf } from './statements.ts'

/**
 * Resolves with the id of the store.
 * @throws StorageError `StoreNotFound`: the schema has other content, or there is none and it is not to be created;
 * `UnsupportedFormat` (`details.kind` is `newer`); `LogCorrupt`: the head and the events differ
 */
export async function openSchema(
  client: PgClient,
  {
    schema,
    statements,
    create,
  }: { readonly schema: SchemaName; readonly statements: Statements; readonly create: boolean },
): Promise<string> {
  const found = await namesIn(client, schema)
  if (found.size === 0) {
    if (!create) throw notFound(`The database has no store in the schema ${schema.name}.`)
    await createTables(client, schema, statements)
  } else if (!found.has('meta')) throw foreign(schema)
  const store = await storeIn(client, schema, statements)
  const [[head, last] = []] = await rowsOf(client, statements.heads)
  if (head === undefined || head !== last) {
    const message = `The log ends at ${last}, but its head is ${head}.`
    throw new StorageError('LogCorrupt', message, { details: { kind: 'head' } })
  }
  return store
}

/** Engines that open an empty schema at the same time create it once. */
async function createTables(client: PgClient, schema: SchemaName, statements: Statements): Promise<void> {
  await rowsOf(client, 'BEGIN ISOLATION LEVEL READ COMMITTED')
  await rowsOf(client, lockUntilCommit, [schema.creating])
  if ((await namesIn(client, schema)).size === 0) {
    const [, ...rest] = statements.create
    // To create a schema that is there needs the right to create schemas.
    if ((await rowsOf(client, hasSchema, [schema.name])).length === 0)
      await rowsOf(client, statements.create[0] as string)
    for (const text of rest) await rowsOf(client, text)
    await rowsOf(client, statements.addMeta, [marker, schemaVersion])
  }
  await rowsOf(client, 'COMMIT')
}

async function storeIn(client: PgClient, schema: SchemaName, statements: Statements): Promise<string> {
  const rows = await rowsOf(client, statements.meta).catch((error: unknown) => {
    // undefined_column
    if (error instanceof Error && 'code' in error && error.code === '42703') return []
    throw error
  })
  const [mark, version, store] = rows[0] ?? []
  if (mark !== marker || typeof store !== 'string') throw foreign(schema)
  if (Number(version) === schemaVersion) return store
  const message = `The schema ${schema.name} has version ${version}; this release knows ${schemaVersion}.`
  throw new StorageError('UnsupportedFormat', message, { details: { kind: 'newer' } })
}

const namesIn = async (client: PgClient, { name }: SchemaName): Promise<ReadonlySet<string>> =>
  new Set((await rowsOf(client, tablesOf, [name])).map(([table]) => table ?? ''))

const notFound = (message: string): StorageError => new StorageError('StoreNotFound', message)
const foreign = ({ name }: SchemaName): StorageError => notFound(`The schema ${name} has other content than a store.`)
