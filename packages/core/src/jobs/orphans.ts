/** Deletes blobs that no event names, and their bytes from the files of the store; for the time after a crash. */
import { discardBlobs } from '../content/discard-blobs.ts'
import type { Engine } from '../engine/engine.ts'
import type { BlobId } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import { blobTable } from '../views/content-tables.ts'
import { namedInLog } from './named-in-log.ts'

/**
 * Checks every blob of the store and resolves with the number of those that were deleted. A missing row is not enough to
 * delete a blob, because the database can lose rows silently: a blob that the log still names is kept.
 */
export async function removeOrphans(engine: Engine): Promise<number> {
  const { ports, inFlight, sharing } = engine
  const rows = committedRows(ports.journal, ports.hashing)
  const candidates = new Set<BlobId>()
  for await (const id of ports.blobs.list()) {
    // Check `inFlight` before the row: a write that is committed in between has its row when the row is read.
    if (!(await inFlight.has(id)) && (await rows.get(blobTable.key(id))) === undefined) candidates.add(id)
  }
  await sharing.clearStaleMarks()
  if (candidates.size === 0 || engine.isHalted) return 0
  const named = await namedInLog(ports, await ports.journal.head(), candidates)
  const orphans = [...candidates].filter((id) => !named.has(id))
  if (engine.isHalted) return 0
  await discardBlobs(ports.blobs, orphans)
  return orphans.length
}
