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

/** `2026-08-01-12-00-00` */
const stampOf = (time: number): string => new Date(time).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
