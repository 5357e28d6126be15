/** Whether anything is visible in a bucket, which may be a fork. */
import { StorageError } from '../base/errors.ts'
import { later } from '../bytes/bytes.ts'
import type { RowRange, Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import { pastVersionTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'
import { inBase, isOwnVersion, type KeyThen, stepsMax } from './versions-in.ts'

type BucketThen = Omit<KeyThen, 'key'>

/** @throws StorageError `NotImplemented` for a fork where too many versions of its base are gone */
export async function hasVersion(rows: Rows, place: BucketThen): Promise<boolean> {
  if ((await rows.first(versionTable.range(place.bucket, ''))) !== undefined) return true
  const base = await inBase(rows, { ...place, key: '' })
  return base !== undefined && (await isAnyLeft(rows, base, [{ ...place, key: '' }], { left: stepsMax }))
}

/** Whether the bucket had a version then that none of the forks above it describes by rows of its own. */
async function isAnyLeft(
  rows: Rows,
  place: KeyThen,
  forks: readonly KeyThen[],
  steps: { left: number },
): Promise<boolean> {
  const { bucket, at = Number.MAX_SAFE_INTEGER } = place
  for (const table of [versionTable, pastVersionTable]) {
    let range: RowRange = table.range(bucket, '')
    for (;;) {
      const found = await rows.first<VersionRow>(range)
      if (found === undefined) break
      if (steps.left-- === 0) throw tooMany()
      const { row } = found
      const key = table.objectKey(found.key)
      if (row.existedAt(at) && !(await isDescribed(rows, forks, key, row.seq))) return true
      const next = row.seq > at ? table.from(bucket, key, at) : Uint8Array.of(...found.key, 0)
      range = { ...range, gte: later(next, Uint8Array.of(...found.key, 0)) }
    }
  }
  const base = await inBase(rows, place)
  return base !== undefined && isAnyLeft(rows, base, [...forks, place], steps)
}

async function isDescribed(rows: Rows, forks: readonly KeyThen[], key: string, version: Seq): Promise<boolean> {
  for (const fork of forks) if (await isOwnVersion(rows, { ...fork, key }, version)) return true
  return false
}

const tooMany = (): StorageError =>
  new StorageError(
    'NotImplemented',
    `More than ${stepsMax} versions of its base are gone in this fork: it cannot be seen whether any is left.`,
    { hint: 'Drop the fork instead, with `varve drop`.' },
  )
