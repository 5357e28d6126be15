/** The keyspaces of projections: one for each version, so that a new one is built beside the old one. */
import { decodeHeader, type KeyspaceHeader } from '../keyspaces/header.ts'
import { walkHeaders } from '../keyspaces/walk-headers.ts'
import type { Hashing, RowReader } from '../ports/index.ts'

const form = /^projection\/(\d+)\/(.+)$/

export const projectionKeyspace = (name: string, version: number): string => `projection/${version}/${name}`

/** One stored version of a projection. */
export interface StoredProjection {
  readonly name: string
  readonly version: number
  /** The name of its keyspace. */
  readonly keyspace: string
  readonly header: KeyspaceHeader
}

/** All versions of all projections, by name and then by version. @throws StorageError `RowCorrupt` */
export async function storedProjections(rows: RowReader, hashing: Hashing): Promise<readonly StoredProjection[]> {
  const found: StoredProjection[] = []
  for await (const { name: keyspace, frame } of walkHeaders(rows)) {
    const [, version, name] = form.exec(keyspace) ?? []
    if (name === undefined || frame === undefined) continue
    const header = decodeHeader(hashing, keyspace, frame)
    if (header.state !== 'dropped') found.push({ name, version: Number(version), keyspace, header })
  }
  return found.sort((a, b) => (a.name === b.name ? a.version - b.version : a.name < b.name ? -1 : 1))
}
