/** What a store follows, checked before anything is opened. */
import { schema } from '@varve/core'
import { type ReplicaPlace, replicaAt } from './replica-address.ts'
import type { ReplicaFailure } from './replica-settings.ts'

const { listener, either, integer, object, optional, text } = schema

/** A replica that a store follows. */
export interface FollowSettings {
  /** `s3://BUCKET/PREFIX`, with the parameters `region` and `endpoint`, `file:///DIRECTORY`, or the path of a directory. */
  readonly from: string
  /** How often the replica is asked for what is new, in milliseconds. @default 1000 */
  readonly everyMs?: number
  /** Called when the replica cannot be followed, once until it could be followed again. @default it is only in `store.jobs` */
  onFailure?(failure: ReplicaFailure): void
  /** Called when the store was promoted and takes writes. */
  onPromoted?(): void
}

const timerMaxMs = 2 ** 31 - 1

export const followSettings: schema.Schema<FollowSettings | string> = either<FollowSettings | string>(
  'the address of a replica, or an object with it',
  text({ min: 1 }),
  object<FollowSettings>({
    from: text({ min: 1 }),
    everyMs: optional(integer({ min: 10, max: timerMaxMs })),
    onFailure: optional(listener()),
    onPromoted: optional(listener()),
  }),
)

/** A replica and how it is followed. */
export interface FollowSchedule extends Required<FollowSettings> {
  readonly place: ReplicaPlace
}

const defaultEveryMs = 1000
const nothing = (): void => undefined

/** @throws StorageError `InvalidArgument` for an address of another form */
export function followSchedule(given: FollowSettings | string): FollowSchedule {
  const settings = typeof given === 'string' ? { from: given } : given
  const { from, everyMs = defaultEveryMs, onFailure = nothing, onPromoted = nothing } = settings
  return { from, everyMs, onFailure, onPromoted, place: replicaAt(from) }
}
