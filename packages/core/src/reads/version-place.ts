import type { versionTable } from '../views/tables.ts'
import type { StartPlace } from './read-snapshot.ts'

/** The key of the first row that a listing from this start can return. */
export function versionPlace(
  table: Pick<typeof versionTable, 'at' | 'after' | 'from'>,
  bucket: string,
  { key, place }: StartPlace,
): Uint8Array {
  if (place === 'at') return table.at(bucket, key)
  return place === 'after' ? table.after(bucket, key) : table.from(bucket, key, place)
}
