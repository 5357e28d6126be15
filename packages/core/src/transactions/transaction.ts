/** Runs a transaction: on one state of the store, committed all or nothing, and repeated if others were first. */
import { isStorageError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { TransactionLog } from './transaction-log.ts'

export interface RunOptions {
  /** How often the function is called at most. */
  readonly attempts: number
  readonly signal: AbortSignal | undefined
  /** Called with the last position of the commit. */
  readonly committed: ((seq: number) => void) | undefined
}

/** @throws StorageError `TransactionConflict` after the last attempt; what the function throws, then nothing is changed */
export async function runTransaction<R>(
  engine: Engine,
  run: (log: TransactionLog) => Promise<R>,
  { attempts, signal, committed }: RunOptions,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const log = await TransactionLog.begin(engine)
    try {
      const result = await run(log)
      signal?.throwIfAborted()
      const seq = await log.commit()
      if (seq !== undefined) committed?.(seq)
      return result
    } catch (error) {
      if (!isStorageError(error, 'TransactionConflict') || attempt >= attempts) throw error
    } finally {
      await log.end()
    }
  }
}
