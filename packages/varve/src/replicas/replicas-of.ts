/** What replicas do for a store in a directory: they are written, they heal it, and they may have blobs that a restore left there. */
import type { BlobStore, Keyring } from '@varve/core'
import { findFilling } from './find-filling.ts'
import { type ReplicaPlace, withKeys } from './replica-address.ts'
import { replicaCopies } from './replica-copies.ts'
import { confirming } from './replica-gate.ts'
import { erasureCopies } from './erasure-watch.ts'
import { keyedSchedules, type ReplicaSchedule } from './replica-settings.ts'

export interface ReplicaWork {
  /** Replicas that damage is healed from, besides those that are written. @default none */
  readonly healFrom?: readonly ReplicaPlace[]
  /** Bring blobs that a restore left in a replica. Without it they are only read there. @default false */
  readonly fills?: boolean
}

interface GivenReplicas extends ReplicaWork {
  readonly schedules: readonly ReplicaSchedule[]
  /** The keyring of the store, and how it was given. */
  readonly keyring: Keyring | undefined
  readonly givenKeyring: Keyring | 'own' | undefined
}

/** @throws StorageError `InvalidArgument` */
export async function replicasOf(
  dir: string,
  { schedules, keyring, givenKeyring, healFrom = [], fills = false }: GivenReplicas,
) {
  const replicas = keyedSchedules(schedules, keyring, givenKeyring)
  const filling = await findFilling(dir, keyring)
  const places = [...replicas.map(({ place }) => place), ...healFrom.map((place) => withKeys(place, { keyring }))]
  const healing = replicaCopies(places)
  const waiting = confirming(replicas.flatMap(({ gate, deposition }) => [deposition, ...(gate ? [gate] : [])]))
  const erasing = erasureCopies(replicas)
  return {
    replicas,
    /** What is to be filled. */
    filling: fills ? filling : undefined,
    /** The ports of the store that replicas have a part in. */
    portsOver: (own: BlobStore) => ({
      blobs: filling?.over(own) ?? own,
      copies: healing.copies,
      ...waiting,
      ...erasing,
    }),
    async close(): Promise<void> {
      await healing.close()
      await filling?.close()
    },
  }
}
