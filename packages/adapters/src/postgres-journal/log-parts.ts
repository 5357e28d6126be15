/**
 * The parts of the log: the table `events` is divided by ranges of positions, so that old parts can lie on other disks. The next part is
 * there a whole part before it is needed. There is no default part: with one, each new part would have to wait for a search of it.
 */
import type { SchemaName } from './schema-name.ts'

/** Some gigabytes. The tables of a log of a billion events are still few enough for a planner. */
export const defaultPartEvents = 10_000_000

/** How often in each part a commit looks whether the next part is there: an attempt that fails is repeated. */
const checksInPart = 16

/** A commit that passes a multiple of this looks for the next part. */
export const checksOfParts = (partEvents: number): number => Math.max(Math.floor(partEvents / checksInPart), 1)

/** Long values are not compressed: the bytes of objects seldom become shorter. */
export const createEvents = ({ quoted: s }: SchemaName): readonly string[] => [
  `CREATE TABLE ${s}.events (seq bigint PRIMARY KEY, bytes bytea NOT NULL) PARTITION BY RANGE (seq)`,
  `ALTER TABLE ${s}.events ALTER COLUMN bytes SET STORAGE EXTERNAL`,
]

/**
 * Makes the parts of the head and of the events after it. A table is attached under a lock that lets commits and reads go on; if another
 * user of the database prevents it, the commit goes on, unless it needs the part.
 */
export const createAddParts = ({ quoted: s }: SchemaName, partEvents: number): string => `
CREATE OR REPLACE FUNCTION ${s}.add_parts() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $parts$
DECLARE
  size constant bigint := ${partEvents};
  last bigint;
  bound bigint;
BEGIN
  SELECT seq INTO last FROM ${s}.head WHERE id = 1 FOR UPDATE;
  SELECT coalesce(max(substring(pg_get_expr(part.relpartbound, part.oid) FROM 'TO \\(''(\\d+)''\\)')::bigint), 0)
    INTO bound FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
    WHERE inhparent = '${s}.events'::regclass;
  WHILE bound <= (last / size + 1) * size LOOP
    BEGIN
      EXECUTE format('CREATE TABLE ${s}.%I (LIKE ${s}.events INCLUDING ALL)', 'events_' || bound);
      EXECUTE format('ALTER TABLE ${s}.events ATTACH PARTITION ${s}.%I FOR VALUES FROM (%s) TO (%s)',
        'events_' || bound, bound, bound + size);
    EXCEPTION WHEN OTHERS THEN
      IF bound <= last THEN RAISE; END IF;
      RAISE LOG 'varve: the part of the log from event % was not made: %', bound, SQLERRM;
      RETURN;
    END;
    bound := bound + size;
  END LOOP;
END
$parts$`
