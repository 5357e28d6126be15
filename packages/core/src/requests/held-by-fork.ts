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
  const { base } = row
  const held = { legalHold: false, until: 0 }
  const walk = snapshot.versions(bucket, '')
  try {
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
      signal?.throwIfAborted()
      const lock = await lockOf(snapshot, { bucket, row }, found)
      if (lock === undefined || (await isInBase(snapshot, base, found))) continue
      held.legalHold ||= lock.legalHold === 'ON'
      held.until = Math.max(held.until, lock.retention?.until ?? 0)
    }
  } finally {
    await walk.close()
  }
  return held
}

async function lockOf(
  snapshot: ReadSnapshot,
  { bucket, row: of }: { readonly bucket: string; readonly row: BucketRow },
  { key, row }: KeyedVersion,
): Promise<Pick<Annotations, 'retention' | 'legalHold'> | undefined> {
  if (row.deleteMarker) return undefined
  const { retention, legalHold } = await snapshot.annotations(of, { bucket, key, row })
  return retention === undefined && legalHold !== 'ON'
    ? undefined
    : { ...(retention && { retention }), ...(legalHold && { legalHold }) }
}

/** Whether the base has the version now. A bucket of its name that was created later is another one. */
async function isInBase(
  snapshot: ReadSnapshot,
  { bucket, position }: ForkBase,
  { key, row }: KeyedVersion,
): Promise<boolean> {
  const base = await snapshot.bucket(bucket)
  if (base === undefined || base.incarnation > position) return false
  return (await snapshot.version(bucket, key, row))?.seq === row.seq
}
