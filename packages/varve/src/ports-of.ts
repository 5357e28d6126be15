/** What the engine runs on, for a directory that is open: its parts, and this machine's clock, chance and hashing. */
import { nodeHashing, randomIds, type StoreDirectory, systemClock, systemTimer } from '@varve/adapters'
import type { StorePorts } from '@varve/core'

export async function portsOf({ journal, blobs, witness, reserve }: StoreDirectory): Promise<StorePorts> {
  const hashing = await nodeHashing()
  return { journal, blobs, witness, reserve, clock: systemClock, ids: randomIds, hashing, timer: systemTimer }
}
