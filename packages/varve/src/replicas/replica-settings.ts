/** Where replicas of a store are written, checked before anything is opened. */
import { type Keyring, type ReplicaPin, schema, StorageError } from '@varve/core'
import { ErasureWatch } from './erasure-watch.ts'
import { Deposition, ReplicaGate, type WhenBehind } from './replica-gate.ts'
import { type ReplicaPlace, replicaAt, withKeys } from './replica-address.ts'

const { array, boolean, listener, integer, literal, object, optional, text } = schema

/** A replica that an open store writes. */
export interface ReplicaSettings {
  /** `s3://BUCKET/PREFIX`, with the parameters `region` and `endpoint`, `file:///DIRECTORY`, or the path of a directory. */
  readonly to: string
  /** How often what is new is written, in milliseconds. @default 1000 */
  readonly everyMs?: number
  /** Take the replica over from another writer, which is deposed: only if that one is gone for good. @default false */
  readonly takeOver?: boolean
  /**
   * Acknowledge a write only when the replica has it. If the replica does not confirm in time, writes are refused (`refuse`) or
   * acknowledged without it (`continue`), until it has everything again. For stores in a directory. @default it follows by itself
   */
  readonly synchronous?: WhenBehind
  /** How long a write waits for a synchronous replica, in milliseconds. @default 10000 */
  readonly patienceMs?: number
  /**
   * Bytes that are due for their erasure stay until the replica has the events up to then; this is how many, in bytes. Of more, the
   * oldest are erased, and may be missing in the replica. @default 4294967296 (4 GiB)
   */
  readonly pinMax?: number
  /**
   * How long the replica keeps bytes that the store has erased after their retention, in milliseconds: so long, earlier moments can be
   * restored with them. What somebody had erased does not stay. @default for ever
   */
  readonly keepErasedMs?: number
  /**
   * Encrypt the replica with a secret of its own, which a master key of the keyring wraps: the keyring that the store is opened with,
   * which must not be in its directory. Only a replica that is new can be encrypted. One that is stays so. @default false
   */
  readonly encrypt?: boolean
  /** How many bytes a second are written to the replica at most. It falls behind if more is new. @default as fast as it goes */
  readonly bytesPerSecond?: number
  /**
   * How often it is proven that the replica can be restored, in milliseconds: every event is read and checked, and all other bytes are
   * looked for. @default never
   */
  readonly proveEveryMs?: number
  /**
   * After how many events, at least, the rows of the views are written too, so that an instant restore computes few of them; never, if it is
   * 0. It takes more events if there are many rows. @default 100000
   */
  readonly viewsEvery?: number
  /** Called when such a proof finds that something is missing or damaged. @default it is only in `store.jobs` */
  onDamage?(damage: Pick<ReplicaFailure, 'to' | 'error'>): void
  /** Called when bytes are erased that the replica may lack, once until it has caught up with them. @default it is only in `store.jobs` */
  onGap?(gap: ReplicaGap): void
  /** Called when the replica cannot be written, once until it could be written again. @default it is only in `store.jobs` */
  onFailure?(failure: ReplicaFailure): void
}

/** Why a replica is not written. */
export interface ReplicaFailure {
  /** The address of the replica, without parameters. */
  readonly to: string
  readonly error: unknown
  /** False if it is given up until the store is opened again: another writer has it, or it is not one of this log. */
  readonly isTriedAgain: boolean
}

/** Bytes that were erased though the replica may lack them: it has not confirmed the events that freed them. */
export interface ReplicaGap {
  /** The address of the replica, without parameters. */
  readonly to: string
  /** How many contents, so far. */
  readonly contents: number
  readonly bytes: number
}

const timerMaxMs = 2 ** 31 - 1
const replicasMax = 16

export const replicaSettings: schema.Schema<readonly ReplicaSettings[]> = array(
  object<ReplicaSettings>({
    to: text({ min: 1 }),
    everyMs: optional(integer({ min: 10, max: timerMaxMs })),
    takeOver: optional(boolean),
    synchronous: optional(literal('refuse', 'continue')),
    patienceMs: optional(integer({ min: 1, max: timerMaxMs })),
    pinMax: optional(integer({ min: 0 })),
    keepErasedMs: optional(integer({ min: 0 })),
    encrypt: optional(boolean),
    bytesPerSecond: optional(integer({ min: 1 })),
    proveEveryMs: optional(integer({ min: 1000 })),
    viewsEvery: optional(integer({ min: 0 })),
    onDamage: optional(listener()),
    onGap: optional(listener()),
    onFailure: optional(listener()),
  }),
  { max: replicasMax },
)

/** A replica and how it is written. */
export interface ReplicaSchedule {
  readonly place: ReplicaPlace
  readonly everyMs: number
  readonly takeOver: boolean
  readonly pinMax: number
  readonly keepErasedMs: number | undefined
  readonly encrypt: boolean
  readonly bytesPerSecond: number | undefined
  readonly proveEveryMs: number | undefined
  readonly viewsEvery: number
  onDamage(damage: Pick<ReplicaFailure, 'to' | 'error'>): void
  onGap(gap: ReplicaGap): void
  onFailure(failure: ReplicaFailure): void
  /** Holds acknowledgements back. Absent: nothing waits for the replica. */
  readonly gate?: ReplicaGate
  readonly deposition: Deposition
  readonly erasures: ErasureWatch
}

const defaultEveryMs = 1000
const defaultViewsEvery = 100_000
const defaultPatienceMs = 10_000
const defaultPinMax = 4 * 1024 ** 3

function gateOf(to: string, { synchronous, patienceMs = defaultPatienceMs }: Partial<ReplicaSettings>) {
  if (synchronous === undefined) return {}
  return { gate: new ReplicaGate({ name: replicaAt(to).name, whenBehind: synchronous, patienceMs }) }
}

const nothing = (): void => undefined

/** @throws StorageError `InvalidArgument` for an address of another form, and for two replicas at one place */
export function replicaSchedules(settings: readonly ReplicaSettings[]): readonly ReplicaSchedule[] {
  const schedules = settings.map(
    ({
      to,
      everyMs = defaultEveryMs,
      takeOver = false,
      pinMax = defaultPinMax,
      keepErasedMs,
      encrypt = false,
      bytesPerSecond,
      proveEveryMs,
      viewsEvery = defaultViewsEvery,
      onDamage = nothing,
      onGap = nothing,
      onFailure = nothing,
      ...more
    }) => ({
      place: replicaAt(to),
      ...gateOf(to, more),
      deposition: new Deposition(),
      erasures: new ErasureWatch(),
      everyMs,
      takeOver,
      pinMax,
      keepErasedMs,
      encrypt,
      bytesPerSecond,
      proveEveryMs,
      viewsEvery,
      onDamage,
      onGap,
      onFailure,
    }),
  )
  const names = schedules.map(({ place }) => place.name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return schedules
  throw new StorageError('InvalidArgument', `There are two replicas at ${twice}.`, {
    details: { ArgumentName: 'options.replicas' },
  })
}

/**
 * The same replicas, opened with the keys of the store.
 * @throws StorageError `InvalidArgument` if one is to be encrypted with keys that are lost with the store
 */
export function keyedSchedules(
  schedules: readonly ReplicaSchedule[],
  keyring: Keyring | undefined,
  given: Keyring | 'own' | undefined,
): readonly ReplicaSchedule[] {
  if (typeof given !== 'object' && schedules.some(({ encrypt }) => encrypt)) throw withoutKeyring()
  return schedules.map((schedule) => ({
    ...schedule,
    place: withKeys(schedule.place, { keyring, encrypts: schedule.encrypt }),
  }))
}

const withoutKeyring = (): StorageError =>
  new StorageError(
    'InvalidArgument',
    'An encrypted replica needs a keyring that is not in the directory of the store.',
    {
      details: { ArgumentName: 'options.replicas' },
    },
  )

/** The job that writes a replica. */
export const jobOf = ({ place }: Pick<ReplicaSchedule, 'place'>) => `replication ${place.name}` as const

/** What stays for these replicas. */
export const pinsFor = (schedules: readonly ReplicaSchedule[]): readonly ReplicaPin[] =>
  schedules.map((schedule) => ({
    job: jobOf(schedule),
    maxBytes: schedule.pinMax,
    onGivenUp: (givenUp) => schedule.onGap({ to: schedule.place.name, ...givenUp }),
  }))
