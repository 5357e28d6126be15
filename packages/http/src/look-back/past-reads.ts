import type { PastStore, RequestStore } from '@varve/core'

/** The reads of a past state in the place of a store. It has no writes: operations that look back only read. */
export const pastReads = ({ buckets, objects, versions }: PastStore): RequestStore =>
  ({ buckets, objects, versions }) as Partial<Record<keyof RequestStore, unknown>> as RequestStore
