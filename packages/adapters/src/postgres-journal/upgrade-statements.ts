/** The statements that raise a schema from version 1 to 2, in which the log has parts. */
import { createEvents } from './log-parts.ts'
import type { SchemaName } from './schema-name.ts'
import { createFunctions, schemaVersion } from './schema-tables.ts'

/** Whose tables they are: what is added belongs to the same role. */
export const ownerOf = `SELECT quote_ident(rolname), rolname, pg_has_role(pg_roles.oid, 'MEMBER'),
    has_schema_privilege(pg_roles.oid, pg_namespace.oid, 'CREATE'), current_user
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_roles ON pg_roles.oid = relowner
  WHERE nspname = $1 AND relname = 'events'`

/** A constraint proves that the events of version 1 fit in the first part, so that they are not searched under a lock. Its name has the bound. */
const constraintOf = (below: number): string => `events_below_${below}`
export const constraints = `SELECT conname, conname ~ '^events_below_[0-9]{1,15}$' FROM pg_constraint
  JOIN pg_class ON pg_class.oid = conrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relname = 'events' AND contype = 'c'`
export const addConstraint = ({ quoted: s }: SchemaName, below: number): string =>
  `ALTER TABLE ${s}.events ADD CONSTRAINT ${constraintOf(below)} CHECK (seq >= 0 AND seq < ${below}) NOT VALID`
/** Reads all events. Commits and reads go on meanwhile. */
export const validate = ({ quoted: s }: SchemaName, below: number): string =>
  `ALTER TABLE ${s}.events VALIDATE CONSTRAINT ${constraintOf(below)}`
export const dropConstraint = ({ quoted: s }: SchemaName, below: number): string =>
  `ALTER TABLE IF EXISTS ${s}.events DROP CONSTRAINT IF EXISTS ${constraintOf(below)}`

/** Commits lock the head before they write events. Without this order, a commit and the upgrade would wait for each other. */
export const lockLog = ({ quoted: s, absence }: SchemaName): readonly string[] => [
  `SET LOCAL lock_timeout = '10s'`,
  `SELECT pg_advisory_xact_lock_shared(${absence})`,
  `SELECT seq FROM ${s}.head WHERE id = 1 FOR UPDATE`,
  // What waits for this lock makes others wait.
  `SET LOCAL lock_timeout = '300ms'`,
  `LOCK TABLE ${s}.events IN ACCESS EXCLUSIVE MODE`,
]

export const raise = (schema: SchemaName, below: number, partEvents: number): readonly string[] => {
  const { quoted: s } = schema
  return [
    `ALTER TABLE ${s}.events RENAME TO events_0`,
    `ALTER INDEX IF EXISTS ${s}.events_pkey RENAME TO events_0_pkey`,
    ...createEvents(schema),
    `ALTER TABLE ${s}.events ATTACH PARTITION ${s}.events_0 FOR VALUES FROM (0) TO (${below})`,
    `ALTER TABLE ${s}.events_0 DROP CONSTRAINT ${constraintOf(below)}`,
    ...createFunctions(schema, partEvents),
    `SELECT ${s}.add_parts()`,
    keepRights(s),
    `UPDATE ${s}.meta SET version = ${schemaVersion}`,
  ]
}

/**
 * Roles keep what they may do with the log as a whole: commits that wait for the upgrade are still carried out with the rights of
 * their callers. The roles that could append events may call the functions.
 */
const keepRights = (s: string): string => `DO $rights$
DECLARE
  given record;
BEGIN
  FOR given IN
    SELECT privilege_type AS privilege, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
      FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = '${s}.events_0'::regclass AND grantee <> relowner
  LOOP
    EXECUTE format('GRANT %s ON ${s}.events TO %s', given.privilege, given.role);
    IF given.privilege <> 'SELECT' THEN
      EXECUTE format('REVOKE %s ON ${s}.events_0 FROM %s', given.privilege, given.role);
    END IF;
    IF given.privilege = 'INSERT' THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION ${s}.commit, ${s}.hold_head TO %s', given.role);
    END IF;
  END LOOP;
END
$rights$`
