/** Transactions: many reads and writes on one state of the store, in one commit. */
import type { Engine } from '../engine/engine.ts'
import type { Seq } from '../ports/index.ts'
import { RequestEngine } from '../requests/request-engine.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { StorageError } from '../base/errors.ts'
import { runTransaction } from '../transactions/transaction.ts'
import { optionsOf } from './arguments/common.ts'
import { callback } from './arguments/log-options.ts'
import { transactionOptions } from './arguments/transaction-options.ts'
import type { Buckets } from './buckets.ts'
import type { Objects } from './objects.ts'
import { RequestEngineStore } from './request-store.ts'
import type { TransactionOptions } from './types/index.ts'
import type { Versions } from './versions.ts'

/**
 * The store within a transaction. Reads see one state of the store, with the changes of the transaction over it. Version
 * ids of new versions are provisional: they are valid only in the transaction, and the versions get other ids when it
 * commits. After the transaction has ended, every call is refused with `TransactionEnded`.
 */
export interface Transaction {
  /** The position of the state that the transaction reads. */
  readonly seq: Seq
  readonly buckets: Buckets
  readonly objects: Objects
  readonly versions: Versions
}

interface Caller {
  readonly engine: Engine
  readonly context: StoreContext
  readonly region: string
}

export async function transaction<R>(
  { engine, context, region }: Caller,
  given: (transaction: Transaction) => Promise<R>,
  givenOptions?: TransactionOptions,
): Promise<R> {
  const run = checked('run', callback, given) as typeof given
  const { attempts = 10, signal } = optionsOf(transactionOptions, givenOptions)
  const { requests } = engine
  engine.assertOpen()
  engine.assertWritable()
  const { committed, ...caller } = context
  const requestId = context.requestId ?? requests.ports.ids.next()
  return runTransaction(
    engine,
    async (log) => {
      const own = new RequestEngine(log, requests.ports, { ...engine.options, outerIntakes: requests.openIntakes })
      const store = new RequestEngineStore(own, { ...caller, requestId }, region)
      try {
        return await run({ seq: log.seq, buckets: store.buckets, objects: store.objects, versions: store.versions })
      } finally {
        await own.end(new StorageError('TransactionEnded', 'The transaction has ended.'))
      }
    },
    { attempts, signal, committed },
  )
}
