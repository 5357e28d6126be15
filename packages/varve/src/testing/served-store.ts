/** A store with the handler that answers its requests: what a server for tests has between two resets. */
import { nodeHashing } from '@varve/adapters'
import type { Clock, Store } from '@varve/core'
import { createHandler, type DialectName, type Handler, type Identity, type ServiceHooks } from '@varve/http'
import { createKeyring } from '../keyring/create-keyring.ts'
import { type MemoryContent, openContent } from '../store/memory-content.ts'
import type { FaultList } from './faults.ts'
import { RequestsInProgress } from './requests-in-progress.ts'

/** How a server for tests answers, in every store that it has. */
export interface Serving {
  readonly root: Identity
  readonly identities: readonly Identity[]
  /** The identity of an access key that is not among those. Absent: there is none. */
  readonly findIdentity: ((accessKeyId: string) => Identity) | undefined
  readonly region: string
  readonly dialect: DialectName
  /** Absent: the clock of the machine. */
  readonly clock: Clock | undefined
}

export interface ServedStore {
  readonly content: MemoryContent
  readonly store: Store
  readonly handler: Handler
  /** Ends all requests and closes the store. */
  retire(): Promise<void>
}

/** Objects with `aws:kms` and `AES256` need a key. It protects nothing: the bytes are in memory, and not for long. */
const keyring = createKeyring({ master: [Buffer.alloc(32, 'for tests').toString('base64')] })

export async function serveContent(content: MemoryContent, serving: Serving, faults: FaultList): Promise<ServedStore> {
  const store = await openContent(content, storeOptionsOf(serving), serving.clock)
  try {
    // The time since the content was written counts as passed, as if the store had been open.
    await store.clock.accept()
    const requests = new RequestsInProgress()
    const handler = await handlerOf(store, serving, (request, answer) =>
      requests.run(request, () => faults.answer(request, answer)),
    )
    return {
      content,
      store,
      handler,
      async retire() {
        requests.end()
        void handler.drain()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function handlerOf(store: Store, serving: Serving, intercept: ServiceHooks['intercept']): Promise<Handler> {
  const { root, identities, findIdentity, region, dialect, clock } = serving
  return createHandler({
    store,
    hashing: await nodeHashing(),
    identities: [root, ...identities],
    dialect,
    region,
    signingRegions: 'any',
    ...(clock && { now: () => clock.now() }),
    hooks: {
      intercept,
      ...(findIdentity && { findIdentity }),
      // Clients sign with the time of the machine, whatever time a test has.
      ...(clock && { maxSkewMs: Number.MAX_SAFE_INTEGER }),
    },
  })
}

/** Nothing happens in the background: a test runs lifecycle rules and sweeps when it wants their effects. */
export const storeOptionsOf = ({ root, region }: Pick<Serving, 'root' | 'region'>) =>
  ({
    actor: { id: root.id, name: root.displayName },
    region,
    keyring,
    lifecycle: false,
    sweepEveryMs: 0,
    bodyIdleMs: 0,
    // A fork checks no event that the witness has seen.
    witness: 'synced',
  }) as const
