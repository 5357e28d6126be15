import type { Soon } from '../base/soon.ts'
import type { LogPorts } from '../events/log.ts'
import type { StorageError } from '../base/errors.ts'
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import type { TurnTaking } from '../scheduling/turn-taking.ts'

/** What keyspaces need of the engine of the store. */
export interface KeyspaceEngine {
  readonly ports: { readonly journal: Journal; readonly hashing: Hashing }
  readonly pacedLog: LogPorts
  readonly turns: TurnTaking
  /** `committed`: the end of the log. */
  readonly writer: { readonly committed: Seq }
  /** Commits of rows outside the log. */
  readonly beside: { during<R>(commit: () => Promise<R>): Promise<R> }
  /** Resolves when this engine knows the current end of the log; `undefined` if it always does. */
  fresh(): Promise<void> | undefined
  /** Set if the store takes no more writes: the reason. */
  readonly failure: StorageError | undefined
  /** @throws StorageError `StoreClosed` */
  assertOpen(): void
  /** @throws StorageError `ReadOnly` */
  assertWritable(): void
  /** @throws StorageError `NoSpace` while the medium is nearly full */
  assertRoom(): Soon<void>
  /** Ends all writes of the store, because the outcome of one is unknown. */
  fail(cause: unknown): StorageError
}
