/** Finds what is erased by a log and may still be in its replica, because nothing has removed it yet. */
import type { BlobId, Hashing, ReplicaFiles, Seq } from '../ports/index.ts'
import { readMark } from './erasure-mark.ts'
import { ErasureScan } from '../events/erasure-scan.ts'
import type { ReplicaReader } from './replica-reader.ts'

/** A log that goes at least as far as the replica. */
interface LongerLog {
  readonly journal: ReplicaReader['journal']
  readonly head: Seq
}

/**
 * Lets the reader not give out what somebody had erased, whatever moment is restored.
 * @param log of several replicas, one of which may be behind the erasure. @default the replica's own
 * @throws what reading the replica throws
 */
export async function withholdErased(
  { files, hashing }: { readonly files: ReplicaFiles; readonly hashing: Hashing },
  reader: ReplicaReader,
  { journal, head }: LongerLog = { journal: reader.journal, head: reader.state.head },
): Promise<void> {
  const { requested, removed } = await readMark(files, reader.state.starts)
  const scan = new ErasureScan({ journal, hashing }, requested)
  const ids = new Set<BlobId>(removed.map(({ id }) => id))
  while (scan.position < head) for (const { id } of await scan.next({ to: head, requested: true })) ids.add(id)
  reader.withhold(ids)
}
