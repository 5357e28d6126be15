/** Access logs of the buckets of a store, delivered as S3 does. */
import { type RequestStore, schema, type Store } from '@varve/core'
import { AccessDelivery, collectAccess, type AccessLog } from '@varve/http'
import { jobsOf } from '../store/jobs-of.ts'

/** How the lines of access logs are delivered. */
export interface AccessLogOptions {
  /** How long a line waits for others, in milliseconds. @default 5 minutes */
  readonly everyMs?: number
  /** An object is delivered when it has so many bytes. @default 1 MiB */
  readonly bytesMax?: number
}

const { integer, object, optional } = schema

export const accessLogOptions = object<AccessLogOptions>({
  everyMs: optional(integer({ min: 1, max: 2 ** 31 - 1 })),
  bytesMax: optional(integer({ min: 1 })),
})

export interface AccessLogParts extends AccessLogOptions {
  readonly store: RequestStore
  /** The store that is open now: deliveries are among its jobs. */
  readonly current: () => Store | undefined
  readonly now?: (() => number) | undefined
}

/** Delivers what is added. */
export function accessDelivery({ store, current, now = Date.now, ...options }: AccessLogParts): AccessDelivery {
  return new AccessDelivery({
    ...options,
    store,
    now,
    run(work) {
      const jobs = jobsOf(current())
      return jobs === undefined ? work() : jobs.runBeside('access-logs', work)
    },
  })
}

/** Collects and delivers the lines of one server. What waits is delivered when the server is closed. */
export function accessLog(parts: AccessLogParts): AccessLog {
  const delivery = accessDelivery(parts)
  return collectAccess({
    store: parts.store,
    pass: (access) => delivery.add(access),
    close: () => delivery.flush(),
  })
}
