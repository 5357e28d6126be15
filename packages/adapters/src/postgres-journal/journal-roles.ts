/** SQL that makes the roles of a store in PostgreSQL, for an operator to read and to run. */
import { schema as checks, StorageError } from '@varve/core'
import { schemaName } from './schema-name.ts'

/** The names of roles of the database, which the script makes if they are missing. */
export interface JournalRoles {
  /** The schema of the store. @default varve */
  readonly schema?: string
  /** Owns the schema: creates the tables and upgrades them. */
  readonly owner: string
  /** The role of nodes: it reads the tables, and changes them only by the functions of the schema. */
  readonly node: string
  /** A role that only reads, for audits. */
  readonly reader?: string
}

const rolesOptions = checks.object<JournalRoles>({
  schema: checks.optional(checks.text()),
  owner: checks.text(),
  node: checks.text(),
  reader: checks.optional(checks.text()),
})

/** The script can run again, before and after the tables are made. @throws StorageError `InvalidArgument` */
export function journalRoles(given: JournalRoles): string {
  const { schema: name = 'varve', owner, node, reader } = checks.checked('roles', rolesOptions, given)
  const { quoted: s } = schemaName(name)
  const roles = [owner, node, ...(reader === undefined ? [] : [reader])]
  for (const role of roles) assertRole(role)
  if (new Set(roles).size < roles.length) throw invalid('The owner, the nodes and the reader need different roles.')
  const [o, n, ...r] = roles.map((role) => `"${role}"`)
  const users = [n, ...r].join(', ')
  return `-- The roles of the store in the schema ${name}. Run this in its database, as a superuser or as a role that may
-- create roles and schemas. It changes nothing if it fails, and it can run again. New roles have no password.
BEGIN;
DO $roles$
DECLARE
  each text;
  other name;
BEGIN
  FOREACH each IN ARRAY ARRAY[${roles.map((role) => `'${role}'`).join(', ')}] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = each) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', each);
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), each);
  END LOOP;
  SELECT pg_get_userbyid(owner) INTO other FROM (
    SELECT nspowner AS owner FROM pg_namespace WHERE nspname = '${name}' UNION ALL
    SELECT relowner FROM pg_class WHERE relnamespace = to_regnamespace('${s}') AND relkind IN ('r', 'p')
  ) AS owners WHERE pg_get_userbyid(owner) <> '${owner}' LIMIT 1;
  IF other IS NOT NULL THEN
    RAISE EXCEPTION 'The role % owns the schema ${name} or tables in it: name it as the owner.', other;
  END IF;
END
$roles$;
CREATE SCHEMA IF NOT EXISTS ${s} AUTHORIZATION ${o};
REVOKE ALL ON SCHEMA ${s} FROM PUBLIC, ${users};
REVOKE ALL ON ALL TABLES IN SCHEMA ${s} FROM PUBLIC, ${users};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${s} FROM PUBLIC, ${users};
GRANT USAGE ON SCHEMA ${s} TO ${users};
GRANT SELECT ON ALL TABLES IN SCHEMA ${s} TO ${users};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${s} TO ${n};
-- The same for the tables and functions that the owner makes later.
ALTER DEFAULT PRIVILEGES FOR ROLE ${o} IN SCHEMA ${s} GRANT SELECT ON TABLES TO ${users};
ALTER DEFAULT PRIVILEGES FOR ROLE ${o} IN SCHEMA ${s} GRANT EXECUTE ON FUNCTIONS TO ${n};
COMMIT;
`
}

/** Within quotes, so that no character ends them. */
function assertRole(role: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_.@-]{0,62}$/.test(role) && !role.startsWith('pg_')) return
  throw invalid('The name of a role has 1 to 63 letters, digits and _ . @ -, and begins with a letter.')
}

const invalid = (message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'roles' } })
