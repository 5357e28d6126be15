/** The snapshots of one bucket, in the process that has the store open. */

import type { Actor, SnapshotInfo } from '@varve/core'
import type { ControlPlace } from '../control/answer-control.ts'
import { createSnapshot, deleteSnapshot, listSnapshots } from '../control/snapshot-rows.ts'

export interface BucketSnapshots {
  /** @throws StorageError as `Snapshots.create` does */
  create(name: string): Promise<SnapshotInfo>
  /** Those of this bucket alone, in the order of their positions. */
  list(): Promise<readonly SnapshotInfo[]>
  /** @throws StorageError `NoSuchSnapshot` */
  delete(name: string): Promise<void>
}

export interface SnapshotCall {
  readonly bucket: string
  readonly by: Actor
  readonly requestId: string
  readonly signal: AbortSignal
}

export function bucketSnapshots(place: ControlPlace, { bucket, by, requestId, signal }: SnapshotCall): BucketSnapshots {
  const all = snapshotsIn(place, { by, requestId }, signal)
  return {
    create: (name) => all.create(name, bucket),
    async list() {
      const own = (await all.list()).filter((snapshot) => snapshot.bucket === bucket)
      return own.sort((one, other) => one.seq - other.seq || (one.name < other.name ? -1 : 1))
    },
    delete: (name) => all.delete(name),
  }
}

function snapshotsIn(
  place: ControlPlace,
  caller: Pick<SnapshotCall, 'by' | 'requestId'>,
  signal: AbortSignal,
): Pick<BucketSnapshots, 'list' | 'delete'> & { create(name: string, bucket: string): Promise<SnapshotInfo> } {
  if ('store' in place) {
    const { snapshots } = place.store.as(caller)
    return {
      create: (name, bucket) => snapshots.create(name, { bucket }),
      list: () => snapshots.list(),
      delete: (name) => snapshots.delete(name),
    }
  }
  const owner = place.forward.as(caller)
  return {
    create: (name, bucket) => owner.value(createSnapshot, { name, bucket }, { signal }),
    async list() {
      const found: SnapshotInfo[] = []
      for await (const snapshot of owner.lines(listSnapshots, {}, { signal })) found.push(snapshot)
      return found
    },
    async delete(name) {
      await owner.value(deleteSnapshot, { name }, { signal })
    },
  }
}
