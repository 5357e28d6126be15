/** A schema of version 1, as releases before version 2 made it. It stays as it is. */
import { type PgClient, rowsOf } from './pg-client.ts'
import { type SchemaName, schemaName } from './schema-name.ts'

/** As the role of the connection. */
export async function createVersion1(client: PgClient, name: string): Promise<void> {
  const schema = schemaName(name)
  const { quoted: s } = schema
  const statements = [`CREATE SCHEMA IF NOT EXISTS ${s}`, ...tables(s), createCommit(schema)]
  await rowsOf(client, 'BEGIN')
  for (const text of statements) await rowsOf(client, text)
  const values = ['varve journal', 1]
  await rowsOf(
    client,
    `INSERT INTO ${s}.meta (id, marker, version, store) VALUES (1, $1, $2, gen_random_uuid())`,
    values,
  )
  await rowsOf(client, 'COMMIT')
}

const tables = (s: string): readonly string[] => [
  `CREATE TABLE ${s}.meta (id smallint PRIMARY KEY CHECK (id = 1), marker text NOT NULL, version integer NOT NULL,
    store uuid NOT NULL)`,
  `CREATE TABLE ${s}.head (id smallint PRIMARY KEY CHECK (id = 1), seq bigint NOT NULL)`,
  `CREATE TABLE ${s}.events (seq bigint PRIMARY KEY, bytes bytea NOT NULL)`,
  `CREATE TABLE ${s}.rows (key bytea PRIMARY KEY, value bytea NOT NULL)`,
  `ALTER TABLE ${s}.events ALTER COLUMN bytes SET STORAGE EXTERNAL`,
  `ALTER TABLE ${s}.rows ALTER COLUMN value SET STORAGE EXTERNAL`,
  `INSERT INTO ${s}.head (id, seq) VALUES (1, 0)`,
]

const createCommit = ({ quoted: s, absence }: SchemaName): string => `
CREATE FUNCTION ${s}.commit(
  expected bigint, appended bytea[], kept_keys bytea[], kept_values bytea[],
  replaced_keys bytea[], replaced_values bytea[], put_keys bytea[], put_values bytea[], removed_keys bytea[],
  expects_absence boolean, is_durable boolean,
  OUT refused boolean, OUT at bigint, OUT wrong bytea
) LANGUAGE plpgsql SET search_path = pg_catalog SET enable_seqscan = off SET jit = off AS $commit$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a commit needs the isolation level read committed' USING ERRCODE = 'feature_not_supported';
  END IF;
  -- Another user of a pooled connection can have changed it.
  IF is_durable AND current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  refused := true;
  IF expects_absence THEN
    PERFORM pg_advisory_xact_lock(${absence});
  ELSE
    PERFORM pg_advisory_xact_lock_shared(${absence});
  END IF;
  IF expected IS NOT NULL THEN
    -- Most refusals end here, without a lock that would be written.
    SELECT seq INTO at FROM ${s}.head WHERE id = 1;
    IF at IS DISTINCT FROM expected THEN RETURN; END IF;
    IF cardinality(appended) > 0 THEN
      SELECT seq INTO at FROM ${s}.head WHERE id = 1 FOR UPDATE;
    ELSE
      SELECT seq INTO at FROM ${s}.head WHERE id = 1 FOR SHARE;
    END IF;
    IF at IS DISTINCT FROM expected THEN RETURN; END IF;
    at := NULL;
  END IF;
  IF cardinality(kept_keys) > 0 THEN
    WITH found AS (SELECT key, value FROM ${s}.rows WHERE key = ANY (kept_keys) ORDER BY key FOR SHARE)
    SELECT given.key INTO wrong
      FROM unnest(kept_keys, kept_values) WITH ORDINALITY AS given(key, value, place)
      LEFT JOIN found ON found.key = given.key
      WHERE found.value IS DISTINCT FROM given.value ORDER BY place LIMIT 1;
    IF FOUND THEN RETURN; END IF;
  END IF;
  IF cardinality(replaced_keys) > 0 THEN
    WITH found AS (SELECT key, value FROM ${s}.rows WHERE key = ANY (replaced_keys) ORDER BY key FOR UPDATE)
    SELECT given.key INTO wrong
      FROM unnest(replaced_keys, replaced_values) WITH ORDINALITY AS given(key, value, place)
      LEFT JOIN found ON found.key = given.key
      WHERE found.value IS DISTINCT FROM given.value ORDER BY place LIMIT 1;
    IF FOUND THEN RETURN; END IF;
  END IF;
  IF cardinality(appended) > 0 THEN
    INSERT INTO ${s}.events (seq, bytes)
      SELECT expected + place, bytes FROM unnest(appended) WITH ORDINALITY AS given(bytes, place);
    UPDATE ${s}.head SET seq = expected + cardinality(appended) WHERE id = 1;
  END IF;
  IF cardinality(removed_keys) > 0 THEN
    DELETE FROM ${s}.rows WHERE key = ANY (removed_keys);
  END IF;
  IF cardinality(put_keys) > 0 THEN
    INSERT INTO ${s}.rows (key, value)
      SELECT given.key, given.value FROM unnest(put_keys, put_values) AS given(key, value) ORDER BY given.key
      ON CONFLICT (key) DO UPDATE SET value = excluded.value;
  END IF;
  refused := false;
END
$commit$`
