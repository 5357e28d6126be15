/** Where replicas of a store are written, checked before anything is opened. */
import { schema, StorageError } from '@varve/core'
import { type ReplicaPlace, replicaAt } from './replica-address.ts'

const { array, boolean, callable, integer, object, optional, text } = schema

/** A replica that an open store writes. */
export interface ReplicaSettings {
  /** `s3://BUCKET/PREFIX`, with the parameters `region` and `endpoint`, `file:///DIRECTORY`, or the path of a directory. */
  readonly to: string
  /** How often what is new is written, in milliseconds. @default 1000 */
  readonly everyMs?: number
  /** Take the replica over from another writer, which is deposed: only if that one is gone for good. @default false */
  readonly takeOver?: boolean
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

const timerMaxMs = 2 ** 31 - 1
const replicasMax = 16

export const replicaSettings: schema.Schema<readonly ReplicaSettings[]> = array(
  object<ReplicaSettings>({
    to: text({ min: 1 }),
    everyMs: optional(integer({ min: 10, max: timerMaxMs })),
    takeOver: optional(boolean),
    onFailure: optional(callable()),
  }),
  { max: replicasMax },
)

/** A replica and how it is written. */
export interface ReplicaSchedule {
  readonly place: ReplicaPlace
  readonly everyMs: number
  readonly takeOver: boolean
  onFailure(failure: ReplicaFailure): void
}

const defaultEveryMs = 1000
const nothing = (): void => undefined

/** @throws StorageError `InvalidArgument` for an address of another form, and for two replicas at one place */
export function replicaSchedules(settings: readonly ReplicaSettings[]): readonly ReplicaSchedule[] {
  const schedules = settings.map(({ to, everyMs = defaultEveryMs, takeOver = false, onFailure = nothing }) => ({
    place: replicaAt(to),
    everyMs,
    takeOver,
    onFailure,
  }))
  const names = schedules.map(({ place }) => place.name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return schedules
  throw new StorageError('InvalidArgument', `There are two replicas at ${twice}.`, {
    details: { ArgumentName: 'options.replicas' },
  })
}
