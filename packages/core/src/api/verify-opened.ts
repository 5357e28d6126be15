import type { Engine } from '../engine/engine.ts'
import type { DeletedBuckets } from '../jobs/deleted-buckets.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Sweeper } from '../jobs/sweeper.ts'
import type { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import type { VerifyOptions, VerifyReport } from '../verify/report.ts'
import { verify } from '../verify/verify.ts'

interface Verified {
  readonly engine: Engine
  readonly jobs: Jobs
  readonly keyspaces: KeyspaceSet
  readonly eraser?: { readonly sweeper: Sweeper; readonly deletedBuckets: DeletedBuckets }
}

/** Verifies a store that is open. Without `scratch`, in a temporary journal. */
export async function verifyOpened(
  { engine, jobs, keyspaces, eraser }: Verified,
  given: VerifyOptions,
): Promise<VerifyReport> {
  const options = { ...given, signal: jobs.signalWith(given.signal) }
  engine.assertOpen()
  // A crash may have left bytes half erased. The next sweep erases the rest, so they are not a divergence.
  await eraser?.deletedBuckets.idle()
  await eraser?.sweeper.idle()
  const { openScratch } = engine.ports
  if (options.scratch !== undefined || openScratch === undefined) return verify(engine, options, keyspaces.reducers)
  const scratch = await openScratch()
  try {
    return await verify(engine, { ...options, scratch: scratch.journal }, keyspaces.reducers)
  } finally {
    await scratch.remove()
  }
}
