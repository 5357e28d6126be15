/** What an owner of a store does by itself: it erases what is due, clears what deleted buckets left, and carries on tasks. */
import type { RecordedEvent } from '../events/index.ts'
import { DeletedBuckets } from '../jobs/deleted-buckets.ts'
import { repeat } from '../jobs/repeat.ts'
import { Sweeper } from '../jobs/sweeper.ts'
import { beatMs } from '../sharing/membership.ts'
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
  const { timer } = engine.ports
  if (engine.sharing.isShared && timer !== undefined) {
    const { signal } = jobs
    const isOver = (): boolean => signal.aborted || engine.state !== 'open'
    // A read of another engine that ends commits nothing that would start a sweep. Its engine says so with its next beat.
    const sweep = async (): Promise<void> => (sweeper.isUnfinished ? erase() : undefined)
    void jobs.during(repeat(timer, { ms: beatMs, signal, isOver }, sweep))
  }
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
