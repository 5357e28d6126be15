/** Opens a store on a journal and a blob store that the caller has. */
import { memoryJournal, memoryMedium } from '@varve/adapters'
import {
  type BlobStore,
  type Clock,
  defaultRetention,
  JobPlaces,
  type Journal,
  type KeySecrets,
  type LogSigner,
  openEngine,
  type Scratch,
  schema,
  type Secret,
  StorageError,
  type Store,
  type Witness,
} from '@varve/core'
import { replicaCopies } from '../replicas/replica-copies.ts'
import { erasureCopies } from '../replicas/erasure-watch.ts'
import { jobOf, keyedSchedules, pinsFor, type ReplicaSchedule } from '../replicas/replica-settings.ts'
import { warnOfListener } from '../jobs/warn-of-listener.ts'
import { backgroundOf } from './background.ts'
import { machinePorts } from './ports-of.ts'
import { type PartsStoreOptions, withDefaults } from './store-options.ts'

const { callable, checked, implementing, objectWith, optional } = schema

/** What a store keeps its data in. */
export interface StoreParts {
  /**
   * The log and the rows. Unless the journal is `exclusive`, several stores may use it at the same time, in one process
   * or in several: each sees at once what the others have committed.
   */
  readonly journal: Journal
  /** Large contents. Stores that share a journal share their blobs. */
  readonly blobs: BlobStore
  /** Makes the ids of uploads unguessable. @default a secret in the journal, which all stores on it use */
  readonly secret?: Secret
  /** Stores the secrets of access keys that are created at run time. @default identities can have no access keys */
  readonly secrets?: KeySecrets
  /** Signs checkpoints of the log: see `store.proofs`. One process may use it at a time. @default nothing signs them */
  readonly signer?: LogSigner
  /**
   * Stores the end of the log outside the journal, so that a journal that was restored from an older copy is refused with
   * `AcknowledgedWritesLost`: `blobs.witness` of `openS3Blobs`, or `directoryWitness`. @default none
   */
  readonly witness?: Witness
  /** Opens an empty journal, in which `verify` computes the views again. @default a journal in memory */
  readonly openScratch?: () => Promise<Scratch>
}

const storeParts = objectWith<StoreParts>({
  journal: implementing<Journal>('a journal', ['head', 'commit', 'events', 'snapshot', 'get', 'getMany', 'cursor']),
  blobs: implementing<BlobStore>('a blob store', ['write', 'open', 'delete', 'list', 'discardUnfinished']),
  secret: optional(implementing<Secret>('a secret', ['read'])),
  witness: optional(implementing<Witness>('a witness', ['read', 'write'])),
  secrets: optional(
    implementing<KeySecrets>('a place for the secrets of access keys', [
      'tokenKey',
      'make',
      'put',
      'get',
      'remove',
      'settle',
    ]),
  ),
  signer: optional(
    implementing<LogSigner>('a signer of checkpoints', ['identity', 'sign', 'last', 'keep', 'renew', 'verify']),
  ),
  openScratch: optional(callable<NonNullable<StoreParts['openScratch']>>()),
})

/** The room for removed bytes on a medium of unknown size. */
const defaultBudgetBytes = 1024 ** 3

interface OnParts {
  /** The room for removed bytes that a new store states. @default 1 GiB */
  readonly budgetBytes?: number
  /** How often one of the stores on the journal removes orphans, in milliseconds. @default never */
  readonly orphansEveryMs?: number
  /** Called after the store is closed. @default the parts stay open */
  readonly closeParts?: () => Promise<void>
  /** The end of the log, for parts that are always as they were closed: nothing before it is checked. @default none */
  readonly witness?: Witness
  /** The log was checked up to its end just now. @default false */
  readonly isSealed?: boolean
  /** A clock that a test moves. It may jump, so no jump counts as sleep. @default the clock of the machine */
  readonly testClock?: Clock
}

/** The options were checked. */
export async function openOnParts(
  given: StoreParts,
  options: PartsStoreOptions,
  {
    budgetBytes = defaultBudgetBytes,
    orphansEveryMs,
    closeParts,
    witness,
    isSealed = witness !== undefined,
    testClock,
  }: OnParts = {},
): Promise<Store> {
  const parts = checked('parts', storeParts, given)
  const { signal, onProgress, sweepOrphans = false, staleMs = 0, ...rest } = options
  const { core, background, hashingThreads, webhooks, scrub, ...chosen } = withDefaults(rest)
  const keyring = typeof rest.keyring === 'object' ? rest.keyring : undefined
  const replicas = keyedSchedules(chosen.replicas, keyring, rest.keyring)
  assertNotAwaited(replicas)
  const machine = await machinePorts({ hashingThreads, keyring, observer: rest.observer, clock: testClock })
  const progress = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  watchOtherWriters(replicas, new JobPlaces({ journal: parts.journal, hashing: machine.hashing }))
  const healing = replicaCopies(replicas.map(({ place }) => place))
  const retention = { ...defaultRetention, budget: { bytes: budgetBytes } }
  return openEngine(
    {
      openScratch: scratchInMemory,
      ...parts,
      ...machine,
      copies: healing.copies,
      ...erasureCopies(replicas),
      ...(witness && { witness }),
    },
    { ...core, ...progress, staleMs, retention, sealed: isSealed, observesTime: testClock === undefined },
    {
      warn: warnOfListener,
      pins: pinsFor(replicas),
      background: backgroundOf({
        ...background,
        sweepOrphans,
        orphansEveryMs,
        webhooks: webhooks.map((webhook) => ({ webhook })),
        replicas,
        ...(scrub && { scrub }),
      }),
      async closePorts() {
        await healing.close()
        await closeParts?.()
      },
    },
  )
}

/** An erasure waits for replicas also where another store on the journal writes them. */
function watchOtherWriters(replicas: readonly ReplicaSchedule[], places: JobPlaces): void {
  for (const schedule of replicas) {
    schedule.erasures.watchOthers(async () => Number((await places.read(`erased ${jobOf(schedule)}`)) ?? 0))
  }
}

/** Another store on the journal may write the replicas, and could not tell this one. */
function assertNotAwaited(replicas: readonly ReplicaSchedule[]): void {
  if (replicas.every(({ gate }) => gate === undefined)) return
  throw new StorageError('InvalidArgument', 'Only a store in a directory can wait for a replica.', {
    details: { ArgumentName: 'options.replicas' },
  })
}

async function scratchInMemory(): Promise<Scratch> {
  const journal = await memoryJournal(memoryMedium(), { exclusive: true })
  return { journal, remove: () => journal.close() }
}
