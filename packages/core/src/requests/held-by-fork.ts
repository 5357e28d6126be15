/** The locks of versions that a fork alone shows: its base has removed them, or is gone. */
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
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
  const base = await snapshot.bucket(row.base.bucket)
  // A bucket of this name that was created later is another one.
  const isBaseThere = base !== undefined && base.incarnation <= row.base.position
  let [legalHold, until] = [false, 0]
  const walk = snapshot.versions(bucket, '')
  try {
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
      signal?.throwIfAborted()
      const { key, row: version } = found
      if (version.deleteMarker) continue
      const locks = await snapshot.annotations(row, { bucket, key, row: version })
      if (locks.retention === undefined && locks.legalHold !== 'ON') continue
      const inBase = isBaseThere && (await snapshot.version(row.base.bucket, key, version))
      if (inBase !== undefined && inBase !== false && inBase.seq === version.seq) continue
      legalHold ||= locks.legalHold === 'ON'
      until = Math.max(until, locks.retention?.until ?? 0)
    }
  } finally {
    await walk.close()
  }
  return { legalHold, until }
}
