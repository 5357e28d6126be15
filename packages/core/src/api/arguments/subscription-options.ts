/** Checks the arguments of calls about subscriptions. */
import { boolean, integer } from '../../schema/scalars.ts'
import { object, optional } from '../../schema/structures.ts'
import type { SubscriptionOptions } from '../types/index.ts'
import { moment, signal } from './common.ts'
import { filterSchema } from './event-filter-fields.ts'

/** The schema of the options of a subscription. */
export const subscriptionOptions = object<SubscriptionOptions>({
  from: optional(moment),
  filter: optional(filterSchema),
  replace: optional(boolean),
  keepBytes: optional(boolean),
  batchMax: optional(integer({ min: 1, max: 1000 })),
  leaseMs: optional(integer({ min: 100, max: 86_400_000 })),
  ...signal,
})
