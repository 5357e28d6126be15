/** Plans an undo: finds for each touched place how it was before the chosen events, and what makes it so again. */
import type { UndoResult } from '../api/types/index.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { planBucket, planSetting } from './plan-bucket.ts'
import { planKey } from './plan-key.ts'
import { type PlannedChange, Planning, type PlanOptions } from './planning.ts'
import type { TouchedPlaces } from './touched-places.ts'

export interface UndoPlan extends Pick<UndoResult, 'conflicts' | 'erased' | 'left'> {
  /** In the order in which they must be committed. */
  readonly changes: readonly PlannedChange[]
}

export async function planUndo(
  reader: RowReader,
  hashing: Hashing,
  places: TouchedPlaces,
  options: PlanOptions,
): Promise<UndoPlan> {
  const planning = new Planning(reader, hashing, places, options)
  for (const touched of places.buckets.values()) await planBucket(planning, touched)
  for (const touched of places.settings.values()) await planSetting(planning, touched)
  for (const touched of places.keys.values()) {
    options.signal?.throwIfAborted()
    const turn = options.turn()
    if (turn !== undefined) await turn
    await planKey(planning, touched)
  }
  const { changes, conflicts, erased, left, deleted } = planning
  return {
    changes: [...changes, ...Array.from(deleted, ([bucket, incarnation]) => deletion(bucket, incarnation))],
    conflicts,
    erased,
    left: Array.from(left, ([type, events]) => ({ type, events })),
  }
}

/** The bucket is empty then, unless others have objects in it. */
const deletion = (bucket: string, incarnation: Seq): PlannedChange => ({
  command: { type: 'RevertCreation', data: { bucket, incarnation } },
  entry: { kind: 'bucket', bucket, action: 'delete' },
})
