/** Makes the lines of access logs. The settings of the buckets decide which requests have one. */
import { callListener, type RequestStore } from '@varve/core'
import type { RequestLog } from '../contract/request-log.ts'
import { accessLine, type SentRequest } from './access-line.ts'
import { LoggedBuckets, type LoggedBucket } from './logged-buckets.ts'

/** A line, and the bucket whose log it belongs to. */
export interface LoggedAccess extends LoggedBucket {
  /** When the request began, in milliseconds since the epoch. */
  readonly time: number
  readonly line: string
}

/** Receives the requests of a server. */
export interface AccessLog {
  /** `sent` is called only for a request that has a line. */
  ended(entry: RequestLog, sent: () => SentRequest): void
  /** Resolves when all lines were passed on, and what they were passed to is done with them. */
  close(): Promise<void>
}

export interface CollectOptions {
  readonly store: Pick<RequestStore, 'buckets'>
  readonly pass: (access: LoggedAccess) => void
  /** Called when the server has ended. */
  readonly close: () => Promise<void>
}

/** Passes on a line for each request about a bucket that has access logs. */
export function collectAccess({ store, pass, close }: CollectOptions): AccessLog {
  const buckets = new LoggedBuckets(store)
  const pending = new Set<Promise<unknown>>()
  const passLine = (bucket: LoggedBucket, entry: RequestLog, sent: SentRequest): void =>
    callListener(
      () => pass({ ...bucket, time: entry.time, line: accessLine(entry, sent, bucket) }),
      () => undefined,
    )
  return {
    ended(entry, sent) {
      const { bucket, operation, errorCode } = entry
      // Names that clients invent cost no read.
      if (bucket === undefined || errorCode === 'NoSuchBucket') return
      const found = buckets.find(bucket)
      if (found instanceof Promise) {
        const held = sent()
        const passing = found
          .then((known) => known && passLine(known, entry, held))
          .finally(() => pending.delete(passing))
        pending.add(passing)
      } else if (found !== undefined) passLine(found, entry, sent())
      if (operation === 'PutBucketLogging' || operation === 'DeleteBucket') buckets.forget(bucket)
    },
    async close() {
      await Promise.all(pending)
      await close()
    },
  }
}
