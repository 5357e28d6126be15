/** The errors of subscriptions. */
import { StorageError } from '../base/errors.ts'

const details = (name: string) => ({ subscription: name })

export const subscriptionLost = (name: string, cause?: unknown): StorageError =>
  new StorageError('SubscriptionLost', `Another holder took the subscription ${name} over, or it was dropped.`, {
    details: details(name),
    ...(cause !== undefined && { cause }),
  })

/** An acknowledgement after the end of the iteration: the lease was given back. */
export const subscriptionEnded = (name: string): StorageError =>
  new StorageError(
    'SubscriptionLost',
    `The iteration over the subscription ${name} has ended: its events come again.`,
    {
      details: details(name),
    },
  )

export const subscriptionHeld = (name: string): StorageError =>
  new StorageError('LeaseHeld', `The subscription ${name} has another holder.`, {
    details: details(name),
  })

export const otherFilter = (name: string): StorageError =>
  new StorageError('SubscriptionConflict', `The subscription ${name} has another filter.`, { details: details(name) })
