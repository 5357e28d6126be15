/** The rights that the role of a connection needs: what is missing is found at the opening, and not at the first commit. */
import { StorageError } from '@varve/core'
import { type PgClient, rowsOf } from './pg-client.ts'
import type { SchemaName } from './schema-name.ts'

export interface NeededRights {
  /** Only reads. */
  readonly readOnly: boolean
}

const tables = ['meta', 'head', 'events', 'rows']

/** What changes the log are these functions, with the rights of the owner. */
const functionsOf = ({ readOnly }: NeededRights): readonly string[] => (readOnly ? [] : ['commit', 'hold_head'])

/** Without `USAGE` of the schema, its tables cannot be found by their names. */
const missingRights = `SELECT current_user, string_agg(missing, ', ') FROM (
  SELECT 'USAGE ON SCHEMA ' || nspname AS missing FROM pg_namespace
    WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE')
  UNION ALL
  SELECT 'SELECT ON ' || nspname || '.' || relname
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace AND nspname = $1
    WHERE relname = ANY ($2::text[]) AND NOT has_table_privilege(pg_class.oid, 'SELECT')
  UNION ALL
  SELECT 'EXECUTE ON FUNCTION ' || nspname || '.' || proname
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace AND nspname = $1
    WHERE proname = ANY ($3::text[]) AND NOT has_function_privilege(pg_proc.oid, 'EXECUTE')
) AS found`

/** @throws StorageError `JournalFailed`: `details.kind` is `rights` */
export async function assertRights(client: PgClient, { name }: SchemaName, needed: NeededRights): Promise<void> {
  const [[role, missing] = []] = await rowsOf(client, missingRights, [name, tables, functionsOf(needed)])
  if (typeof missing === 'string') throw withoutRights(`The role ${role} needs ${missing}.`, missing)
}

const mayCreateSchema = `SELECT current_user, 'CREATE ON DATABASE ' || current_database(), has_database_privilege(current_database(), 'CREATE')`
const mayCreateTables = `SELECT current_user, 'USAGE, CREATE ON SCHEMA ' || nspname,
  has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1`

/** @throws StorageError `JournalFailed`: `details.kind` is `rights` */
export async function assertMayCreate(client: PgClient, { name }: SchemaName, hasSchema: boolean): Promise<void> {
  const [[role, missing, may] = []] = await (hasSchema
    ? rowsOf(client, mayCreateTables, [name])
    : rowsOf(client, mayCreateSchema))
  if (may !== 'f') return
  const message = `The schema ${name} has no store yet, and the role ${role} may not create one: it needs ${missing}.`
  throw withoutRights(message, missing ?? '')
}

const withoutRights = (message: string, missing: string): StorageError =>
  new StorageError('JournalFailed', message, { details: { kind: 'rights', missing } })
