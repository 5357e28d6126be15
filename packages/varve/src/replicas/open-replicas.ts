/** Several replicas, which are asked in turn. Those that cannot be opened or read are left out, and named. */
import { isStorageError, type NamedReplica, ReplicaReader, readReplicaState, type StorageError } from '@varve/core'
import type { OpenReplica, ReplicaPlace } from './replica-address.ts'

export interface OpenedReplicas {
  /** In the order of the places. */
  readonly replicas: readonly (NamedReplica & OpenedAt)[]
  readonly failures: readonly ReplicaFailed[]
  close(): Promise<void>
}

/** A replica that is open, and where it is. */
interface OpenedAt {
  readonly place: ReplicaPlace
  readonly replica: OpenReplica
}

/** A replica that could not be used. */
export interface ReplicaFailed {
  readonly from: string
  readonly error: StorageError
}

/** @throws what is no failure of a replica */
export async function openReplicas(places: readonly ReplicaPlace[]): Promise<OpenedReplicas> {
  const replicas: (NamedReplica & OpenedAt)[] = []
  const failures: ReplicaFailed[] = []
  const close = async (): Promise<void> =>
    void (await Promise.allSettled(replicas.map(({ replica }) => replica.close())))
  for (const place of places) {
    let replica: OpenReplica | undefined
    try {
      replica = await place.open({ create: false })
      const reader = new ReplicaReader(replica, await readReplicaState(replica))
      replicas.push({ name: place.name, place, replica, reader })
    } catch (error) {
      await replica?.close().catch(() => undefined)
      if (!isStorageError(error)) {
        await close()
        throw error
      }
      failures.push({ from: place.name, error })
    }
  }
  return { replicas, failures, close }
}
