/** The ports of the engine for an open directory: its parts, and this machine's clock, random numbers and hashing. */
import { nodeCiphers, randomIds, systemClock, systemTimer, threadedHashing } from '@varve/adapters'
import type { Keyring, Observer, StorePorts } from '@varve/core'
import { storeSecret } from '../files/store-secret.ts'

/** Ports that the options of the store choose. */
export interface ChosenPorts {
  /** How many threads may compute digests; see `threadedHashing`. */
  readonly hashingThreads?: number | undefined
  readonly keyring?: Keyring | undefined
  readonly observer?: Observer | undefined
}

export async function portsOf(
  dir: string,
  { journal, blobs, witness, time, reserve }: Pick<StorePorts, 'journal' | 'blobs' | 'witness' | 'time' | 'reserve'>,
  { hashingThreads, keyring, observer }: ChosenPorts = {},
): Promise<StorePorts> {
  const hashing = await threadedHashing(hashingThreads)
  const system = { clock: systemClock, ids: randomIds, hashing, timer: systemTimer, ciphers: nodeCiphers }
  const chosen = { ...(keyring && { keyring }), ...(observer && { observer }) }
  return { journal, blobs, witness, time, reserve, secret: storeSecret(dir), ...system, ...chosen }
}
