/** The name of a schema, checked and quoted, and what is derived from it. */
import { createHash } from 'node:crypto'
import { StorageError } from '@varve/core'

export interface SchemaName {
  readonly name: string
  /** As SQL has it. */
  readonly quoted: string
  /** The lock under which the schema is created. */
  readonly creating: string
  /** The lock of commits that expect a row to be absent. */
  readonly absence: string
}

/** @throws StorageError `InvalidArgument` */
export function schemaName(name: string): SchemaName {
  if (typeof name !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(name) || /^(pg_|information_schema$)/.test(name)) {
    const message =
      'The name of a schema has 1 to 63 lower-case letters, digits and underscores, and begins with no digit.'
    throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'schema' } })
  }
  return {
    name,
    quoted: `"${name}"`,
    creating: lockNumber(`varve creates ${name}`),
    absence: lockNumber(`varve expects absence in ${name}`),
  }
}

/** Locks are numbers that all users of a database share. */
const lockNumber = (text: string): string => createHash('sha256').update(text).digest().readBigInt64BE().toString()
