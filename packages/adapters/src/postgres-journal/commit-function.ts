/**
 * The functions that change the log. They run with the rights of the owner of the schema, so the role of a node needs no right to
 * change a table. Therefore their `search_path` is fixed, and what was made for one session (`pg_temp`) comes last.
 */
import { checksOfParts } from './log-parts.ts'
import type { SchemaName } from './schema-name.ts'

/**
 * Commits: one call is one transaction and one answer of the server.
 *
 * Each statement of the function sees what was committed before it began. So a check that follows a lock sees the state
 * that the lock protects:
 *
 * - The head is locked before it is compared, by every commit that names a head.
 * - Rows that are expected to be there are locked before they are compared, exclusively if the commit changes them.
 * - A row that is absent cannot be locked. A commit that expects one waits until no other commit is under way, and others wait for it.
 *
 * All commits take the last of these locks first, and then those of the head and of the rows.
 *
 * Plans are kept for a session, and those of an empty table would scan it when it is full: so `enable_seqscan` is off.
 */
export const createCommit = ({ quoted: s, absence }: SchemaName, partEvents: number): string => `
CREATE OR REPLACE FUNCTION ${s}.commit(
  expected bigint, appended bytea[], kept_keys bytea[], kept_values bytea[],
  replaced_keys bytea[], replaced_values bytea[], put_keys bytea[], put_values bytea[], removed_keys bytea[],
  expects_absence boolean, is_durable boolean,
  OUT refused boolean, OUT at bigint, OUT wrong bytea
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $commit$
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
    UPDATE ${s}.head SET seq = expected + cardinality(appended) WHERE id = 1;
    IF expected / ${checksOfParts(partEvents)} <> (expected + cardinality(appended)) / ${checksOfParts(partEvents)} THEN
      PERFORM ${s}.add_parts();
    END IF;
    INSERT INTO ${s}.events (seq, bytes)
      SELECT expected + place, bytes FROM unnest(appended) WITH ORDINALITY AS given(bytes, place);
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

/** Locks the head until the end of the transaction, as `commit` does and in the same order. */
export const createHoldHead = ({ quoted: s, absence }: SchemaName): string => `
CREATE OR REPLACE FUNCTION ${s}.hold_head(OUT at bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $hold$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${absence});
  SELECT seq INTO at FROM ${s}.head WHERE id = 1 FOR UPDATE;
END
$hold$`
