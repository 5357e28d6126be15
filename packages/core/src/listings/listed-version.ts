/** Converts rows of versions into entries of listings. */
import type { ListedMarker, ListedObject, ListedVersion } from '../api/types/index.ts'
import { versionId } from '../naming/version-id.ts'
import type { DeleteMarkerRow, ObjectVersionRow } from '../views/version-row.ts'

export const listedObject = (key: string, row: ObjectVersionRow): ListedObject => listed('object', key, row)

/** Uses `Object.assign`, because spreading the fields takes ten times as long. */
export const listedVersion = (key: string, row: ObjectVersionRow, isLatest: boolean): ListedVersion =>
  Object.assign(listed('version', key, row), { seq: row.seq, isLatest })

function listed<Kind extends string>(kind: Kind, key: string, row: ObjectVersionRow) {
  const { owner, shown } = row
  const { etag, size, checksum, storageClass } = shown
  const listed = { kind, key, versionId: versionId(row), etag, size, lastModified: new Date(row.at), owner }
  if (checksum === undefined && storageClass === undefined) return listed
  return { ...listed, ...(checksum && { checksum }), ...(storageClass && { storageClass }) }
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
