/** Blobs that fail as planned. */
import type { BlobHandle, BlobStore } from '@varve/core'
import { type FaultPlan, type Faults, faultsOf } from './fault-plan.ts'

export type BlobOperation = 'write' | 'open' | 'read' | 'delete' | 'list' | 'discardUnfinished' | 'close'

/** `list` counts the delivery of each id as a call. A write that fails `after` leaves an orphan. */
export function faultyBlobs(blobs: BlobStore, plan: FaultPlan<BlobOperation>): BlobStore {
  const faults = faultsOf(plan)
  return {
    write: (id, source, signal) => faults.run('write', () => blobs.write(id, source, signal)),
    open: (id) => faults.run('open', async () => faultyHandle(await blobs.open(id), faults)),
    delete: (ids) => faults.run('delete', () => blobs.delete(ids)),
    async *list() {
      for await (const id of blobs.list()) yield await faults.run('list', async () => id)
    },
    discardUnfinished: () => faults.run('discardUnfinished', () => blobs.discardUnfinished()),
    close: () => faults.run('close', () => blobs.close()),
  }
}

const faultyHandle = (handle: BlobHandle, faults: Faults<BlobOperation>): BlobHandle => ({
  size: handle.size,
  read: (into, start) =>
    faults.run(
      'read',
      () => handle.read(into, start),
      (_, alter) => into.set(alter(into)),
    ),
  close: () => handle.close(),
})
