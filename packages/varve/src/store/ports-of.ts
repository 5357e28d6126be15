/** The ports of the engine for an open directory: its parts, and this machine's clock, random numbers and hashing. */
import { nodeCiphers, randomIds, systemClock, systemTimer, threadedHashing } from '@varve/adapters'
import type { Keyring, StorePorts } from '@varve/core'
import { storeSecret } from '../files/store-secret.ts'

/** @param hashingThreads How many threads may compute digests; see `threadedHashing`. */
export async function portsOf(
  dir: string,
  { journal, blobs, witness, time, reserve }: Pick<StorePorts, 'journal' | 'blobs' | 'witness' | 'time' | 'reserve'>,
  hashingThreads?: number,
  keyring?: Keyring,
): Promise<StorePorts> {
  const hashing = await threadedHashing(hashingThreads)
  const system = { clock: systemClock, ids: randomIds, hashing, timer: systemTimer, ciphers: nodeCiphers }
  return { journal, blobs, witness, time, reserve, secret: storeSecret(dir), ...system, ...(keyring && { keyring }) }
}
