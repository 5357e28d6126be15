/** Several replicas, which are asked in turn. Those that cannot be opened or read are left out, and named. */
import { isStorageError, type NamedReplica, ReplicaReader, readReplicaState, type StorageError } from '@varve/core'
import type { OpenReplica, ReplicaPlace } from './replica-address.ts'

export interface OpenedReplicas {
  /** In the order of the places. */
  readonly replicas: readonly (NamedReplica & { readonly replica: OpenReplica })[]
  readonly failures: readonly ReplicaFailed[]
  close(): Promise<void>
}

/** A replica that could not be used. */
export interface ReplicaFailed {
  readonly from: string
  readonly error: StorageError
}

/** @throws what is no failure of a replica */
export async function openReplicas(places: readonly ReplicaPlace[]): Promise<OpenedReplicas> {
  const replicas: (NamedReplica & { readonly replica: OpenReplica })[] = []
  const failures: ReplicaFailed[] = []
  const close = async (): Promise<void> =>
    void (await Promise.allSettled(replicas.map(({ replica }) => replica.close())))
  for (const place of places) {
    let replica: OpenReplica | undefined
    try {
      replica = await place.open({ create: false })
      replicas.push({ name: place.name, replica, reader: new ReplicaReader(replica, await readReplicaState(replica)) })
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
