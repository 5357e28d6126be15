/** The keyspaces of projections: one for each version, so that a new one is built beside the old one. */
import { isStorageError } from '../base/errors.ts'
import { decodeHeader, type KeyspaceHeader } from '../keyspaces/header.ts'
import { walkHeaders } from '../keyspaces/walk-headers.ts'
import type { Hashing, RowReader } from '../ports/index.ts'

const form = /^projection\/(\d+)\/(.+)$/

export const projectionKeyspace = (name: string, version: number): string => `projection/${version}/${name}`

/** One stored version of a projection, unchecked. */
export interface FoundProjection {
  readonly name: string
  readonly version: number
  /** The name of its keyspace. */
  readonly keyspace: string
  /** The stored header. `undefined`: there are rows, but no header. */
  readonly frame: Uint8Array | undefined
}

/** One stored version of a projection. */
export interface StoredProjection extends FoundProjection {
  readonly header: KeyspaceHeader
}

/** All versions of all projections, by name and then by version, also those that were dropped or are damaged. */
export async function foundProjections(rows: RowReader): Promise<readonly FoundProjection[]> {
  const found: FoundProjection[] = []
  for await (const { name: keyspace, frame } of walkHeaders(rows)) {
    const [, version, name] = form.exec(keyspace) ?? []
    if (name !== undefined) found.push({ name, version: Number(version), keyspace, frame })
  }
  return found.sort((a, b) => (a.name === b.name ? a.version - b.version : a.name < b.name ? -1 : 1))
}

/** Those that are there. @throws StorageError `RowCorrupt` */
export const storedOf = (hashing: Hashing, found: readonly FoundProjection[]): readonly StoredProjection[] =>
  found.flatMap((one) => {
    if (one.frame === undefined) return []
    const header = decodeHeader(hashing, one.keyspace, one.frame)
    return header.state === 'dropped' ? [] : [{ ...one, header }]
  })

/** The header of a version that was dropped; `undefined` for others, also damaged ones. */
export function droppedHeader(hashing: Hashing, { keyspace, frame }: FoundProjection): KeyspaceHeader | undefined {
  try {
    const header = frame && decodeHeader(hashing, keyspace, frame)
    return header?.state === 'dropped' ? header : undefined
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt')) return undefined
    throw error
  }
}
