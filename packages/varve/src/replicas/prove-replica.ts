/** Proves again and again that a replica can be restored. One of several engines on a log does it. */
import {
  isStorageError,
  type Jobs,
  ReplicaReader,
  readReplicaState,
  type Store,
  StorageError,
  verifyReplica,
} from '@varve/core'
import { rest } from '../jobs/rest.ts'
import type { OpenReplica } from './replica-address.ts'
import type { ReplicaSchedule } from './replica-settings.ts'

const lookMs = 60_000

/** Resolves when the signal aborts, or the store is closed. What a proof found is in the status of the job. */
export async function proveReplicaEvery(
  store: Store,
  schedule: ReplicaSchedule & { readonly proveEveryMs: number },
  jobs: Jobs,
): Promise<void> {
  const { signal } = jobs
  const { place, proveEveryMs, onDamage } = schedule
  const name = `proof ${place.name}` as const
  while (!signal.aborted && store.state !== 'closed') {
    if (store.state === 'open' && (await isDue(jobs, name, proveEveryMs)))
      await jobs
        .run(name, () => proveOnce(schedule, jobs))
        .catch((error: unknown) => {
          if (!signal.aborted && isDamage(error)) onDamage({ to: place.name, error })
        })
    await rest(Math.min(proveEveryMs, lookMs), signal)
  }
}

async function isDue({ places }: Jobs, name: `proof ${string}`, everyMs: number): Promise<boolean> {
  const passed = Date.now() - Number(await places.read(name))
  return !(passed >= 0 && passed < everyMs)
}

/** Damage is found once in each interval; a target that cannot be reached is asked again soon. */
async function proveOnce({ place }: ReplicaSchedule, jobs: Jobs): Promise<void> {
  const replica = await place.open({ create: false })
  try {
    const damaged = await damagedIn(replica, jobs.signal)
    if (damaged > 0) throw lacking(place.name, damaged)
  } catch (error) {
    if (isDamage(error)) await note(jobs, place.name)
    throw error
  } finally {
    await replica.close()
  }
  await note(jobs, place.name)
}

const note = ({ places }: Jobs, name: string): Promise<void> => places.write(`proof ${name}`, String(Date.now()))

const isDamage = (error: unknown): boolean => isStorageError(error, 'ReplicaCorrupt', 'LogCorrupt', 'ReplicaDiverged')

async function damagedIn(replica: OpenReplica, signal: AbortSignal): Promise<number> {
  const reader = new ReplicaReader(replica, await readReplicaState(replica))
  return (await verifyReplica({ reader, hashing: replica.hashing, blobs: 'present', signal })).damaged
}

const lacking = (name: string, count: number): StorageError =>
  new StorageError('ReplicaCorrupt', `The replica ${name} lacks the bytes of ${count} contents, or has them damaged.`, {
    details: { kind: 'missing', count },
  })
