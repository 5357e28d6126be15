import type { KeyspaceEngine } from '../keyspaces/keyspace-engine.ts'
import type { Moment } from '../moments/moment.ts'
import type { Clock, Hashing, Ids, Journal, Seq, Timer } from '../ports/index.ts'
import type { FollowedLog } from './next-commit.ts'

/** What subscriptions and projections need of the engine of the store. */
export interface FollowingEngine extends KeyspaceEngine, FollowedLog {
  readonly ports: {
    readonly journal: Journal
    readonly hashing: Hashing
    readonly clock: Clock
    readonly ids: Ids
    readonly timer?: Timer | undefined
  }
  readonly writer: { readonly committed: Seq }
  readonly sharing: { readonly isShared: boolean }
  /** @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot`, `InvalidArgument` */
  positionOf(moment: Moment): Promise<Seq>
}
