/**
 * All SQL of a journal. Values are parameters: the only texts that are put in are the checked name of the schema and
 * numbers that are derived from it.
 */
import type { SchemaName } from './schema-name.ts'

/** A state of the database that does not change. The second statement fixes it, since `BEGIN` alone does not. */
export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_is_in_recovery()'

export const serverSettings = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only'),
  current_setting('default_transaction_isolation', true), current_setting('synchronous_commit', true),
  current_setting('fsync', true), current_setting('full_page_writes', true)`

/**
 * Changes when a server starts again, and when it recovers from the crash of one of its processes, which resets its statistics.
 */
const serverStart = "concat(pg_postmaster_start_time(), ' ', (SELECT stats_reset FROM pg_stat_bgwriter))"

/**
 * A commit without content. It waits for standbys as others do, because it writes to the log of the server. One statement is on one server, even behind
 * a pooler.
 */
export const confirm = `SELECT ${serverStart}, pg_logical_emit_message(true, 'varve', '')`

export const now = 'SELECT extract(epoch FROM clock_timestamp()) * 1000'

export const tablesOf =
  'SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1'
export const hasSchema = 'SELECT 1 FROM pg_namespace WHERE nspname = $1'
export const lockUntilCommit = 'SELECT pg_advisory_xact_lock($1)'

/** A holder of the head that does nothing for so long is stopped or cut off, and the server ends its session. */
const turnMs = 2000

export type Statements = ReturnType<typeof statementsOf>

export function statementsOf({ quoted: s }: SchemaName) {
  const page = (order: 'ASC' | 'DESC') => `
    SELECT encode(key, 'hex'), encode(value, 'hex') FROM (
      SELECT key, value, sum(octet_length(value)) OVER (
        ORDER BY key ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM (SELECT key, value FROM ${s}.rows WHERE key >= $1 AND key < $2 ORDER BY key ${order} LIMIT $3) AS first
    ) AS sized WHERE coalesce(before, 0) < $4 ORDER BY key ${order}`
  /** Where the row behind a group begins, or behind a key that belongs to none. */
  const behind = `CASE WHEN position($6::bytea IN substring(first.key FROM $5::integer + 1)) = 0 THEN first.key || '\\x00'
    ELSE substring(first.key FROM 1 FOR $5::integer + position($6::bytea IN substring(first.key FROM $5::integer + 1)) - 1) || $7::bytea END`
  return {
    meta: `SELECT marker, version, store FROM ${s}.meta`,
    /** Whether a connection leads to this store, and to which start of its server. */
    check: `SELECT pg_is_in_recovery(), store, ${serverStart}, pg_backend_pid(), version FROM ${s}.meta`,
    head: `SELECT coalesce(max(seq), 0) FROM ${s}.head`,
    /** The position is a parameter, so the planner leaves out the parts before it. */
    lastFrom: `SELECT coalesce(max(seq), 0) FROM ${s}.events WHERE seq >= $1`,
    events: `
      SELECT seq, encode(bytes, 'hex') FROM (
        SELECT seq, bytes, sum(octet_length(bytes)) OVER (
          ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM (SELECT seq, bytes FROM ${s}.events WHERE seq >= $1 AND seq <= $2 ORDER BY seq LIMIT $3) AS first
      ) AS sized WHERE coalesce(before, 0) < $4 ORDER BY seq`,
    get: `SELECT encode(value, 'hex') FROM ${s}.rows WHERE key = $1`,
    getMany: `
      SELECT encode(rows.value, 'hex') FROM unnest($1::bytea[]) WITH ORDINALITY AS wanted(key, place)
      LEFT JOIN ${s}.rows ON rows.key = wanted.key ORDER BY place`,
    forwards: page('ASC'),
    backwards: page('DESC'),
    /** One search of the index for each row, so that a group costs the same however many rows it has. */
    firstOfGroups: `
      WITH RECURSIVE first (key, value, number) AS (
        (SELECT key, value, 1 FROM ${s}.rows WHERE key >= $1 AND key < $2 ORDER BY key LIMIT 1)
        UNION ALL
        SELECT next.key, next.value, first.number + 1 FROM first CROSS JOIN LATERAL (
          SELECT key, value FROM ${s}.rows WHERE key >= ${behind} AND key < $2 ORDER BY key LIMIT 1) AS next
        WHERE first.number < $3
      )
      SELECT encode(key, 'hex'), encode(value, 'hex') FROM (
        SELECT key, value, sum(octet_length(value)) OVER (
          ORDER BY key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM first
      ) AS sized WHERE coalesce(before, 0) < $4 ORDER BY key`,
    commit: `SELECT refused, at, encode(wrong, 'hex')
      FROM ${s}.commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    /** Locks as the function `commit` does, in the same order. */
    holdHead: `BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = ${turnMs}; SELECT ${s}.hold_head()`,
  }
}
