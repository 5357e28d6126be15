/** What a plan begins with that is made outside the writer turn: a restore, a merge, an undo. */
import type { Seq } from '../ports/index.ts'
import type { Engine } from './engine.ts'

/** @throws StorageError as `assertOpen`; unless it is a dry run, also as `assertWritable` and `assertRoom` */
export async function assertMayPlan(engine: Engine, dryRun: boolean): Promise<void> {
  engine.assertOpen()
  if (dryRun) return
  engine.assertWritable()
  await engine.requests.assertRoom()
}

/** The position of the newest state, which a plan is about. */
export async function newestPosition(engine: Engine): Promise<Seq> {
  await engine.fresh()
  return engine.writer.committed
}
