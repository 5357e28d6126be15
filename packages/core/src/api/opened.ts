/** What all stores of one opening share. */
import type { Engine } from '../engine/engine.ts'
import type { Actor } from '../events/index.ts'
import type { SubscriptionSet } from '../following/subscription-set.ts'
import type { DeletedBuckets } from '../jobs/deleted-buckets.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { ReplicaPin } from '../jobs/replica-pins.ts'
import type { Sweeper } from '../jobs/sweeper.ts'
import type { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import type { LogSigning } from '../proofs/log-signing.ts'
import type { LogTree } from '../proofs/log-tree.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'
import type { DamageFound } from '../scrub/found-damage.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { TaskSet } from '../tasks/task-set.ts'
import type { Store } from './store.ts'
import type { StoreEvents } from './store-events.ts'
import type { PromoteOptions, Promotion } from './types/promotion.ts'

/** What a store has besides its ports. */
export interface StoreHome {
  /** @default a new one at each opening */
  readonly storeId?: string
  readonly dir?: string
  readonly layout?: string
  /**
   * Receives errors of listeners if there is no `listenerError` listener.
   * @default they surface as unhandled rejections
   */
  readonly warn?: (error: unknown) => void
  /** Each function is called once, when the store is open. It must end when `jobs.signal` aborts. */
  readonly background?: readonly ((store: Store, jobs: Jobs) => Promise<void>)[]
  /** Promotes a store that follows another one. @default the store follows no other one */
  promote?(options: PromoteOptions, by: Actor): Promise<Promotion>
  /** The replicas that are written, for which bytes stay. Stores that share a journal need the same ones. */
  readonly pins?: readonly ReplicaPin[]
  /** Called when the store is open, before any work begins. An error makes the opening fail. */
  ready?(): Promise<void>
  /** Closes the ports, after the store is closed. @default they stay open */
  closePorts?(): Promise<void>
}

/** What all stores of one opening share: `as` creates another store on it. */
export interface Opened {
  readonly engine: Engine
  readonly context: StoreContext
  readonly region: string
  readonly jobs: Jobs
  readonly tasks: TaskSet
  readonly keyspaces: KeyspaceSet
  readonly subscriptions: SubscriptionSet
  readonly projections: ProjectionSet
  readonly tree: LogTree
  readonly signing: LogSigning
  readonly damage: DamageFound
  readonly home: StoreHome & Required<Pick<StoreHome, 'storeId' | 'warn'>> & { readonly events: StoreEvents }
  /** Ends erasures that have started. Absent if this opening writes nothing. */
  readonly finisher?: Sweeper
  /** Absent if this opening erases nothing by itself. */
  readonly eraser?: { readonly sweeper: Sweeper; readonly deletedBuckets: DeletedBuckets }
}
