/** Finds what is erased by a log and may still be in its replica, because nothing has removed it yet. */
import type { BlobId, Hashing, ReplicaFiles } from '../ports/index.ts'
import { readMark } from './erasure-mark.ts'
import { ErasureScan } from './erasure-scan.ts'
import type { ReplicaReader } from './replica-reader.ts'

/** Lets the reader not give out what somebody had erased, whatever moment is restored. @throws what reading the replica throws */
export async function withholdErased(files: ReplicaFiles, hashing: Hashing, reader: ReplicaReader): Promise<void> {
  const { starts, head } = reader.state
  const { requested, removed } = await readMark(files, starts)
  const scan = new ErasureScan({ journal: reader.journal, hashing }, requested)
  const ids = new Set<BlobId>(removed.map(({ id }) => id))
  while (scan.position < head) for (const { id } of await scan.next({ to: head, requested: true })) ids.add(id)
  reader.withhold(ids)
}
