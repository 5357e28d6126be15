/** The store of a worker: rows and commands are at the owner, and the worker reads blobs in the shared directory. */
import type { Duplex } from 'node:stream'
import { joinBlobs, type JoinedBlobs, nodeCiphers, randomIds, systemClock, systemTimer } from '@varve/adapters'
import { type Hashing, type Keyring, openRequestStore, type RequestStore } from '@varve/core'
import { storeSecret } from '../files/store-secret.ts'
import { defaultBodyIdleMs, expireIdleReads } from '../jobs/idle-reads.ts'
import { withFilling } from '../replicas/find-filling.ts'
import { standIn } from '../store/stand-in.ts'
import { type Frame, type FrameLink, frameLink } from './frame-link.ts'
import { reply } from './protocol.ts'
import { RemoteOwner } from './remote-owner.ts'

export interface WorkerStoreOptions {
  readonly dir: string
  readonly region: string
  readonly hashing: Hashing
  readonly keyring?: Keyring
  /** How many blobs may be open at once. */
  readonly openMax: number
  /** Whether the process that owns the log is there. @default true */
  readonly isOwned?: () => boolean
}

export interface WorkerStore {
  /** Forwards to the current session. */
  readonly store: RequestStore
  /** Rejects when the next session cannot start. Never resolves. */
  readonly lost: Promise<never>
  close(): Promise<void>
}

interface Session {
  readonly store: RequestStore
  readonly joined: OpenBlobs
}

interface OpenBlobs extends JoinedBlobs {
  close(): Promise<void>
}

/** Those that the owner still fills in are read where they come from. */
async function openBlobs({ dir, openMax, keyring }: WorkerStoreOptions): Promise<OpenBlobs> {
  const joined = await joinBlobs(dir, { openMax })
  return withFilling(dir, { ...joined, close: () => joined.blobs.close() }, keyring)
}

/** Resolves when the owner has begun the first session. */
export async function workerStore(channel: Duplex, options: WorkerStoreOptions): Promise<WorkerStore> {
  let link: FrameLink
  let number = 0
  let owner: RemoteOwner | undefined
  let current: Session | undefined
  let loose: (error: unknown) => void
  const lost = new Promise<never>((_resolve, reject) => (loose = reject))
  lost.catch(() => undefined)

  const first = new Promise<void>((resolve) => {
    const begin = async (session: number): Promise<void> => {
      owner?.end()
      number = session
      const mine = (owner = new RemoteOwner(link, session, options.isOwned))
      const before = current?.joined
      // Opens the blobs again for each session: the old blob store may have outdated information about the medium.
      const joined = await openBlobs(options)
      if (mine !== owner) return joined.close()
      const { hashing, region, keyring } = options
      const secret = storeSecret(options.dir)
      const system = {
        clock: systemClock,
        timer: systemTimer,
        hashing,
        ids: randomIds,
        ciphers: nodeCiphers,
        secret,
        ...(keyring && { keyring }),
      }
      const { blobs, reserve } = joined
      current = { joined, store: openRequestStore(mine, { blobs, reserve, ...system }, { region }) }
      resolve()
      await before?.close()
    }
    const hear = (frame: Frame): void => {
      if (frame.kind === reply.state && frame.session > number) void begin(frame.session).catch(loose)
      if (frame.session === number) owner?.hear(frame)
    }
    link = frameLink(channel, hear)
  })
  await Promise.race([first, lost])
  const store = standIn(() => (current as Session).store)
  const end = new AbortController()
  void expireIdleReads(store, { idleMs: defaultBodyIdleMs }, end.signal)
  return {
    store,
    lost,
    async close() {
      end.abort()
      owner?.end()
      await current?.joined.close()
    },
  }
}
