/** Blobs that fail as planned. */
import type { BlobStore, ByteRange, ByteSource, BlobHandle } from '@varve/core'
import { type FaultPlan, type Faults, faultsOf } from './fault-plan.ts'

export type BlobOperation = 'write' | 'open' | 'read' | 'delete' | 'list' | 'discardUnfinished' | 'close'

/** `read` is the delivery of one chunk, and `list` that of one id. A write planned `after` leaves an orphan. */
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

function faultyHandle(handle: BlobHandle, faults: Faults<BlobOperation>): BlobHandle {
  async function* read(range: ByteRange): ByteSource {
    for await (const chunk of handle.read(range)) {
      yield await faults.run(
        'read',
        async () => chunk,
        (bytes, alter) => alter(bytes),
      )
    }
  }
  return { size: handle.size, read, close: () => handle.close() }
}
