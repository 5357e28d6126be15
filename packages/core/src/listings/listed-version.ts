/** Converts rows of versions into entries of listings. */
import type { ListedMarker, ListedObject, ListedVersion } from '../api/types/index.ts'
import { versionId } from '../naming/version-id.ts'
import type { DeleteMarkerRow, ObjectVersionRow } from '../views/version-row.ts'

export const listedObject = (key: string, row: ObjectVersionRow): ListedObject => listed('object', key, row)

/** Uses `Object.assign`, because spreading the fields takes ten times as long. */
export const listedVersion = (key: string, row: ObjectVersionRow, isLatest: boolean): ListedVersion =>
  Object.assign(listed('version', key, row), { seq: row.seq, isLatest })

type Entry = Omit<ListedObject, 'kind'>
type Fields = { -readonly [K in keyof Entry]: Entry[K] }

/** Assigns optional fields, because spreading them takes ten times as long. */
function listed<Kind extends string>(kind: Kind, key: string, row: ObjectVersionRow): Fields & { readonly kind: Kind } {
  const { etag, size, checksum, storageClass } = row.shown
  const entry: Fields & { readonly kind: Kind } = {
    kind,
    key,
    versionId: versionId(row),
    etag,
    size,
    lastModified: new Date(row.at),
    owner: row.owner,
  }
  if (checksum !== undefined) entry.checksum = checksum
  if (storageClass !== undefined) entry.storageClass = storageClass
  return entry
}

export const listedMarker = (key: string, row: DeleteMarkerRow, isLatest: boolean): ListedMarker => ({
  kind: 'marker',
  key,
  versionId: versionId(row),
  seq: row.seq,
  isLatest,
  lastModified: new Date(row.at),
  owner: row.owner,
})
