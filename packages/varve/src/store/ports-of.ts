/** The ports of the engine besides a journal and blobs: this machine's clock, random numbers, hashing and ciphers. */
import { nodeCiphers, randomIds, systemClock, systemTimer, threadedHashing } from '@varve/adapters'
import { type Clock, type Keyring, type Observer, ownPort, type StorePorts } from '@varve/core'
import { keySecrets } from '../files/key-secrets.ts'
import { policyCheck } from '../identities/policy-check.ts'
import { storeSecret } from '../files/store-secret.ts'

/** Ports that the options of the store choose. */
export interface ChosenPorts {
  /** How many threads may compute digests; see `threadedHashing`. */
  readonly hashingThreads?: number | undefined
  readonly keyring?: Keyring | undefined
  readonly observer?: Observer | undefined
  /** @default the clock of the machine */
  readonly clock?: Clock | undefined
}

/** The ports that a store has wherever its data is. */
export async function machinePorts({ hashingThreads, keyring, observer, clock = systemClock }: ChosenPorts) {
  return {
    clock: clock === systemClock ? ownPort(clock) : clock,
    ids: ownPort(randomIds),
    hashing: ownPort(await threadedHashing(hashingThreads)),
    timer: ownPort(systemTimer),
    ciphers: ownPort(nodeCiphers),
    policies: ownPort(policyCheck),
    ...(keyring && { keyring }),
    ...(observer && { observer }),
  }
}

/** The ports for an open directory. */
export async function portsOf(
  dir: string,
  { journal, blobs, witness, time, reserve }: Pick<StorePorts, 'journal' | 'blobs' | 'witness' | 'time' | 'reserve'>,
  chosen: ChosenPorts = {},
): Promise<StorePorts> {
  const secret = ownPort(storeSecret(dir))
  return {
    journal: ownPort(journal),
    blobs: ownPort(blobs),
    witness: witness && ownPort(witness),
    time: time && ownPort(time),
    reserve: reserve && ownPort(reserve),
    secret,
    secrets: ownPort(keySecrets(dir, secret)),
    ...(await machinePorts(chosen)),
  }
}
