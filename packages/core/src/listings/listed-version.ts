/** Converts rows of versions into entries of listings. */
import type { ListedMarker, ListedObject, ListedVersion } from '../api/types/index.ts'
import { versionId } from '../naming/version-id.ts'
import type { KeyedObject } from '../reads/read-snapshot.ts'
import type { DeleteMarkerRow, ObjectVersionRow } from '../views/version-row.ts'

export function listedObject({ key, row }: KeyedObject): ListedObject {
  const { etag, size } = row.shown
  const { at, owner } = row
  return withOptional<ListedObject>(
    { kind: 'object', key, versionId: versionId(row), etag, size, lastModified: new Date(at), owner },
    row.shown,
  )
}

export function listedVersion(key: string, row: ObjectVersionRow, isLatest: boolean): ListedVersion {
  const { etag, size } = row.shown
  const { seq, at, owner } = row
  return withOptional<ListedVersion>(
    { kind: 'version', key, versionId: versionId(row), seq, isLatest, etag, size, lastModified: new Date(at), owner },
    row.shown,
  )
}

/** Assigns optional fields, because spreading them takes ten times as long. */
function withOptional<E extends Optional>(entry: Writable<E>, { checksum, storageClass }: Optional): E {
  if (checksum !== undefined) entry.checksum = checksum
  if (storageClass !== undefined) entry.storageClass = storageClass
  return entry as E
}

type Optional = Pick<ListedObject, 'checksum' | 'storageClass'>
type Writable<E> = { -readonly [K in keyof E]: E[K] }

export const listedMarker = (key: string, row: DeleteMarkerRow, isLatest: boolean): ListedMarker => ({
  kind: 'marker',
  key,
  versionId: versionId(row),
  seq: row.seq,
  isLatest,
  lastModified: new Date(row.at),
  owner: row.owner,
})
