/** Subscriptions to the log of the store that another process has open. */
import {
  callArguments,
  optionsOf,
  schema,
  StorageError,
  type SubscriptionBatch,
  type SubscriptionOptions,
  type Subscriptions,
} from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { apart, collected } from './attached-scope.ts'

const nameOf = (given: unknown): string => schema.checked('name', callArguments.keyspaceName, given)

export const attachedSubscriptions = (client: ControlClient): Subscriptions => ({
  list: () => collected(client.lines(controlApi.listSubscriptions, {})),
  drop: async (name) => void (await client.value(controlApi.dropSubscription, { name: nameOf(name) })),
})

interface Given extends SubscriptionOptions {
  readonly name: string
}

export function attachedBatches(
  client: ControlClient,
  name: string,
  options: SubscriptionOptions | undefined,
): AsyncIterable<SubscriptionBatch> {
  const given = callArguments.atCall(
    (): Given => ({ name: nameOf(name), ...optionsOf(callArguments.subscriptionOptions, options) }),
  )
  return walk(client, given)
}

/** Ends without an error when the signal aborts. */
async function* walk(client: ControlClient, given: () => Given): AsyncGenerator<SubscriptionBatch> {
  const [input, { signal }] = apart(given())
  const isAborted = (): boolean => signal?.aborted === true
  if (isAborted()) return
  try {
    for await (const { batch, ...covered } of client.lines(controlApi.takeSubscription, input, { signal })) {
      yield Object.freeze({ ...covered, acknowledge: acknowledging(client, batch) })
    }
  } catch (error) {
    if (isAborted()) return
    throw error
  }
  throw new StorageError('StoreClosed', 'The process that had the store open has closed it.')
}

/** A second call changes nothing. */
function acknowledging(client: ControlClient, batch: string): () => Promise<void> {
  let acknowledged: Promise<unknown> | undefined
  return async () => {
    try {
      await (acknowledged ??= client.value(controlApi.acknowledgeBatch, { batch }))
    } catch (error) {
      acknowledged = undefined
      throw error
    }
  }
}
