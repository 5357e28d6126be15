/** What a change of versions means for the object that clients get under a key. */
import type { UndoneKey } from '../api/types/index.ts'
import type { Seq } from '../ports/index.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import type { VersionRow } from '../views/version-row.ts'

interface ChangedVersions {
  readonly bucket: string
  readonly key: string
  readonly remove: readonly VersionRow[]
  readonly restore: readonly VersionRow[]
}

/** Compares the newest version before the change and after it. A delete marker is no object. */
export async function netEffect(now: ReadSnapshot, change: ChangedVersions): Promise<UndoneKey['effect']> {
  const before = await now.newest(change.bucket, change.key)
  const removed = new Set(change.remove.map(({ seq }) => seq))
  const left = before !== undefined && removed.has(before.seq) ? await newestExcept(now, change, removed) : before
  const after = [left, ...change.restore].reduce((a, b) => ((b?.seq ?? 0) > (a?.seq ?? 0) ? b : a), undefined)
  const [was, is] = [isObject(before), isObject(after)]
  if (was && is) return before?.seq === after?.seq ? 'unchanged' : 'changed'
  if (was) return 'removed'
  return is ? 'added' : 'unchanged'
}

const isObject = (row: VersionRow | undefined): boolean => row?.deleteMarker === false

async function newestExcept(
  now: ReadSnapshot,
  { bucket, key }: ChangedVersions,
  removed: ReadonlySet<Seq>,
): Promise<VersionRow | undefined> {
  const walk = now.versions(bucket, key, { key, place: 'at' }, removed.size + 1)
  try {
    for (;;) {
      const found = await walk.next()
      if (found?.key !== key) return undefined
      if (!removed.has(found.row.seq)) return found.row
    }
  } finally {
    await walk.close()
  }
}
