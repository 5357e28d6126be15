/** The ports of the engine besides a journal and blobs: this machine's clock, random numbers, hashing and ciphers. */
import { nodeCiphers, randomIds, systemClock, systemTimer, threadedHashing } from '@varve/adapters'
import type { Keyring, StorePorts } from '@varve/core'
import { storeSecret } from '../files/store-secret.ts'

/** @param hashingThreads How many threads may compute digests; see `threadedHashing`. */
export async function machinePorts(hashingThreads?: number, keyring?: Keyring) {
  return {
    clock: systemClock,
    ids: randomIds,
    hashing: await threadedHashing(hashingThreads),
    timer: systemTimer,
    ciphers: nodeCiphers,
    ...(keyring && { keyring }),
  }
}

/** The ports for an open directory. */
export async function portsOf(
  dir: string,
  { journal, blobs, witness, time, reserve }: Pick<StorePorts, 'journal' | 'blobs' | 'witness' | 'time' | 'reserve'>,
  hashingThreads?: number,
  keyring?: Keyring,
): Promise<StorePorts> {
  const machine = await machinePorts(hashingThreads, keyring)
  return { journal, blobs, witness, time, reserve, secret: storeSecret(dir), ...machine }
}
