/** The tables and functions of a schema. */
import { createCommit, createHoldHead } from './commit-function.ts'
import { createAddParts, createEvents } from './log-parts.ts'
import type { SchemaName } from './schema-name.ts'

export const marker = 'varve journal'
export const schemaVersion = 1

export const createSchema = ({ quoted: s }: SchemaName): string => `CREATE SCHEMA IF NOT EXISTS ${s}`

export const createTables = (schema: SchemaName, partEvents: number): readonly string[] => {
  const { quoted: s } = schema
  return [
    `CREATE TABLE ${s}.meta (id smallint PRIMARY KEY CHECK (id = 1), marker text NOT NULL, version integer NOT NULL,
      store uuid NOT NULL)`,
    `CREATE TABLE ${s}.head (id smallint PRIMARY KEY CHECK (id = 1), seq bigint NOT NULL)`,
    ...createEvents(schema),
    `CREATE TABLE ${s}.rows (key bytea PRIMARY KEY, value bytea NOT NULL)`,
    `ALTER TABLE ${s}.rows ALTER COLUMN value SET STORAGE EXTERNAL`,
    `INSERT INTO ${s}.head (id, seq) VALUES (1, 0)`,
    ...createFunctions(schema, partEvents),
    `SELECT ${s}.add_parts()`,
  ]
}

/** Every role may call a function that is new: those that change the log only who gets the right. */
const createFunctions = (schema: SchemaName, partEvents: number): readonly string[] => [
  createAddParts(schema, partEvents),
  createCommit(schema, partEvents),
  createHoldHead(schema),
  `REVOKE ALL ON FUNCTION ${['add_parts', 'commit', 'hold_head'].map((name) => `${schema.quoted}.${name}`).join(', ')} FROM PUBLIC`,
]

export const addMeta = ({ quoted: s }: SchemaName): string =>
  `INSERT INTO ${s}.meta (id, marker, version, store) VALUES (1, $1, $2, gen_random_uuid())`
