/** Finds the versions of an erasure, those that exist and those that were removed. */
import { StorageError } from '../base/errors.ts'
import type { EraseRequest } from '../api/types/index.ts'
import { compareBytes } from '../bytes/bytes.ts'
import { versionId } from '../naming/version-id.ts'
import type { Hashing, RowReader } from '../ports/index.ts'
import { walkRows } from '../reads/row-walk.ts'
import { pastVersionTable, versionTable } from '../views/tables.ts'
import type { ObjectVersionRow, VersionRow } from '../views/version-row.ts'

export interface FoundVersion {
  readonly key: string
  readonly row: ObjectVersionRow
}

/** Versions with bytes, in the order of their keys, the newest first. @throws StorageError `NoSuchVersion` */
export async function findVersions(
  reader: RowReader,
  hashing: Hashing,
  { bucket, key, prefix = '', versions, signal }: EraseRequest,
): Promise<readonly FoundVersion[]> {
  const found: (FoundVersion & { readonly place: Uint8Array })[] = []
  const missing = new Set(versions)
  for (const table of [versionTable, pastVersionTable]) {
    const walk = walkRows<VersionRow>(
      reader,
      hashing,
      key === undefined ? table.range(bucket, prefix) : table.ofKey(bucket, key),
    )
    try {
      for (let next = await walk.next(); next !== undefined; next = await walk.next()) {
        signal?.throwIfAborted()
        const { row } = next
        const names = namesOf(row)
        if (versions !== undefined && !names.some((name) => versions.includes(name))) continue
        for (const name of names) missing.delete(name)
        if (!row.deleteMarker && row.facts.content.kind !== 'empty') {
          found.push({ key: table.objectKey(next.key), row, place: next.key.subarray(1) })
        }
      }
    } finally {
      await walk.close()
    }
  }
  const [absent] = missing
  if (absent !== undefined) {
    throw new StorageError('NoSuchVersion', `The key never had the version ${absent}.`, {
      details: { VersionId: absent },
    })
  }
  return found.sort((a, b) => compareBytes(a.place, b.place))
}

/** What stands for a version in a request. Null versions have their positions as names too. */
const namesOf = (row: VersionRow): readonly (string | number)[] => [
  versionId(row),
  versionId({ seq: row.seq, epoch: row.epoch, nullVersion: false }),
  row.seq,
]
