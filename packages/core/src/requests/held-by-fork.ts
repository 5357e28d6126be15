/** The locks of versions that a fork alone shows: its base has removed them, or is gone. */
import type { KeyedVersion, ReadSnapshot } from '../reads/read-snapshot.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { BucketRow, ForkBase } from '../views/rows.ts'
import { type ReadScope, withSnapshot } from './read-scope.ts'

/** Together, of all such versions. */
export interface HeldByFork {
  readonly legalHold: boolean
  /** When the last retention ends, in milliseconds since the epoch; 0 if there is none. */
  readonly until: number
}

/**
 * Reads every version that the fork shows, whatever became of its bytes and however the fork began. `undefined` for a bucket without Object
 * Lock, and one that is no fork.
 */
export const heldByFork = async (
  requests: ReadScope['requests'],
  bucket: string,
  signal: AbortSignal | undefined,
): Promise<HeldByFork | undefined> => withSnapshot({ requests }, (snapshot) => heldIn(snapshot, bucket, signal))

async function heldIn(
  snapshot: ReadSnapshot,
  bucket: string,
  signal: AbortSignal | undefined,
): Promise<HeldByFork | undefined> {
  const row = await snapshot.bucket(bucket)
  if (row?.base === undefined || row.settings?.ObjectLock === undefined) return undefined
  const isBaseThere = await isThere(snapshot, row.base)
  const held = { legalHold: false, until: 0 }
  for await (const { found, retention, legalHold } of locksIn(snapshot, { bucket, row }, signal)) {
    if (isBaseThere && (await isIn(snapshot, row.base.bucket, found))) continue
    held.legalHold ||= legalHold === 'ON'
    held.until = Math.max(held.until, retention?.until ?? 0)
  }
  return held
}

type Lock = Pick<Annotations, 'retention' | 'legalHold'> & { readonly found: KeyedVersion }

/** The versions of a bucket that have a lock, or had one. */
async function* locksIn(
  snapshot: ReadSnapshot,
  { bucket, row }: { readonly bucket: string; readonly row: BucketRow },
  signal: AbortSignal | undefined,
): AsyncGenerator<Lock> {
  const walk = snapshot.versions(bucket, '')
  try {
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
      signal?.throwIfAborted()
      if (found.row.deleteMarker) continue
      const locks = await snapshot.annotations(row, { bucket, key: found.key, row: found.row })
      if (locks.retention !== undefined || locks.legalHold === 'ON') yield { ...locks, found }
    }
  } finally {
    await walk.close()
  }
}

/** A bucket of its name that was created later is another one. */
async function isThere(snapshot: ReadSnapshot, { bucket, position }: ForkBase): Promise<boolean> {
  const row = await snapshot.bucket(bucket)
  return row !== undefined && row.incarnation <= position
}

const isIn = async (snapshot: ReadSnapshot, bucket: string, { key, row }: KeyedVersion): Promise<boolean> =>
  (await snapshot.version(bucket, key, row))?.seq === row.seq
