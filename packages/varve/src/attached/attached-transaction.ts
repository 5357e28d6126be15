/** Transactions in the process that has the store open. */
import { callArguments, optionsOf, schema, StorageError, type Transaction, type TransactionOptions } from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { attachedBuckets } from './attached-buckets.ts'
import { attachedObjects } from './attached-objects.ts'
import { apart } from './attached-scope.ts'
import { attachedVersions } from './attached-versions.ts'

/**
 * The owner holds the transaction open while its answer goes on, and names each attempt in it. The calls of `run` name the
 * attempt. When the answer ends early, as when this process ends or `run` throws, nothing is changed.
 */
export async function attachedTransaction<R>(
  client: ControlClient,
  given: (transaction: Transaction) => Promise<R>,
  givenOptions: TransactionOptions | undefined,
): Promise<R> {
  const run = schema.checked('run', callArguments.callback, given) as typeof given
  const [options, sending] = apart(optionsOf(callArguments.transactionOptions, givenOptions))
  let attempted: { readonly result: R } | undefined
  for await (const line of client.lines(controlApi.openTransaction, options, sending)) {
    const { transaction, seq, committed } = line
    if (committed === true && attempted !== undefined) return attempted.result
    if (transaction === undefined || seq === undefined) break
    attempted = { result: await run(transactionOver(client.as({ transaction }), seq)) }
    await client.value(controlApi.commitTransaction, { transaction }, sending)
  }
  const message = 'The process that had the store open ended before it answered. The transaction was committed or not.'
  throw new StorageError('StoreClosed', message)
}

function transactionOver(client: ControlClient, seq: number): Transaction {
  const scope = { client }
  const objects = attachedObjects(scope)
  const { withCallerFrames } = callArguments
  return {
    seq,
    buckets: withCallerFrames(attachedBuckets(scope)),
    objects: withCallerFrames(objects),
    versions: withCallerFrames(attachedVersions(scope, objects)),
  }
}
