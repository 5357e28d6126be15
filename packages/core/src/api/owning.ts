/** What an owner of a store does by itself: it erases what is due, clears what deleted buckets left, and carries on tasks. */
import type { RecordedEvent } from '../events/index.ts'
import { DeletedBuckets } from '../jobs/deleted-buckets.ts'
import { Sweeper } from '../jobs/sweeper.ts'
import { settleSecrets } from './identities.ts'
import type { Opened } from './opened.ts'
import { resumeTasks } from './resume-tasks.ts'

/** An opening that erases. */
export type Owned = Opened & Required<Pick<Opened, 'eraser' | 'finisher'>>

/** The opening, with what erases; nothing is erased before `beginOwning`. */
export function withEraser(opened: Opened): Owned {
  const { engine, jobs } = opened
  const sweeper = new Sweeper(engine, jobs)
  return { ...opened, finisher: sweeper, eraser: { sweeper, deletedBuckets: new DeletedBuckets(engine, jobs) } }
}

export function beginOwning(owned: Owned): Owned {
  const { engine, jobs, eraser } = owned
  const { sweeper, deletedBuckets } = eraser
  // Why a sweep failed is in the status of its job.
  const erase = async (): Promise<void> => void (await sweeper.eraseGarbage().catch(() => undefined))
  engine.onCommitted((events) => {
    const frees = sweeper.isEager && events.some(freesBytes)
    if (frees || events.some(mayMakeDue)) void erase()
    if (events.some(leavesRows)) void deletedBuckets.clear().catch(() => undefined)
  })
  engine.makeRoom = erase
  jobs.pins.onReleased(() => void erase())
  void erase()
  void deletedBuckets.clear().catch(() => undefined)
  void jobs.during(resumeTasks(owned))
  // What cannot be settled now is settled at the next opening.
  void jobs.during(settleSecrets(engine)).catch(() => undefined)
  return owned
}

const leavesRows = (event: RecordedEvent): boolean =>
  event.type === 'ForkDropped' || (event.type === 'BucketDeleted' && event.data.leavesUploads === true)

const makingDue: ReadonlySet<string> = new Set([
  'RetentionSet',
  'SnapshotDeleted',
  'BucketDeleted',
  'ForkDropped',
  'TaskEnded',
])

const mayMakeDue = ({ type }: RecordedEvent): boolean => makingDue.has(type)

const freesBytes = ({ type, data }: RecordedEvent): boolean =>
  type === 'VersionRemoved' || type === 'UploadAborted' || type === 'UploadCompleted' || 'replaces' in data
