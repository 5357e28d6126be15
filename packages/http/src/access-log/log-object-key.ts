import type { LoggedBucket } from './logged-buckets.ts'

export interface NamedDelivery extends Pick<LoggedBucket, 'bucket' | 'owner' | 'region' | 'target'> {
  /** The time of delivery, in milliseconds since the epoch. */
  readonly now: number
  /** Midnight of the day of the requests. */
  readonly day: number
  readonly unique: string
}

/** The key of an object with lines of an access log. */
export function logObjectKey({ bucket, owner, region, target, now, day, unique }: NamedDelivery): string {
  const { targetPrefix, keyFormat } = target
  if (keyFormat?.kind !== 'partitioned') return `${targetPrefix}${stampOf(now)}-${unique}`
  const time = keyFormat.dateSource === 'EventTime' ? day : now
  const [year, month, date] = stampOf(time).split('-')
  return `${targetPrefix}${owner}/${region}/${bucket}/${year}/${month}/${date}/${stampOf(time)}-${unique}`
}

/** Random bytes at the end of a key. */
export const uniqueBytes = 8

/** The number of bytes that each key of a log has. */
export const logKeyBytes = (named: Omit<NamedDelivery, 'now' | 'day' | 'unique'>): number =>
  Buffer.byteLength(logObjectKey({ ...named, now: 0, day: 0, unique: '0'.repeat(2 * uniqueBytes) }))

/** `2026-08-01-12-00-00` */
const stampOf = (time: number): string => new Date(time).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
