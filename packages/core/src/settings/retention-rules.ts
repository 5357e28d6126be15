/** Object Lock: what it forbids, and until when. Times are milliseconds since the epoch. */
import { StorageError } from '../base/errors.ts'
import type { ObjectLockConfiguration, Retention } from './object-lock.ts'

/** What holds of a version. */
interface Held {
  readonly retention?: Retention
  readonly legalHold?: 'ON' | 'OFF'
}

interface Circumstances {
  readonly bypassGovernance: boolean
  /** The time by which locks end. */
  readonly locks: number
}

const dayMs = 24 * 60 * 60 * 1000
const daysMax = 36_500
const yearsMax = 100

/** @throws StorageError `InvalidRetentionPeriod` unless days or years are a positive number, of at most a century. */
export function checkObjectLockConfiguration({ default: period }: ObjectLockConfiguration): void {
  if (period === undefined) return
  const [length, max] = 'days' in period ? [period.days, daysMax] : [period.years, yearsMax]
  if (!Number.isInteger(length) || length < 1) {
    throw new StorageError('InvalidRetentionPeriod', 'Default retention period must be a positive integer value.')
  }
  if (length > max) throw new StorageError('InvalidRetentionPeriod', 'Default retention period is too long.')
}

/** What a new version gets that names no retention. */
export function defaultRetention({ default: period }: ObjectLockConfiguration, at: number): Retention | undefined {
  if (period === undefined) return undefined
  if ('days' in period) return { mode: period.mode, until: at + period.days * dayMs }
  const date = new Date(at)
  date.setUTCFullYear(date.getUTCFullYear() + period.years)
  return { mode: period.mode, until: date.getTime() }
}

/** @throws StorageError `InvalidArgument` for a date that has passed, or that no calendar has. */
export function checkRetention({ until }: Retention, at: number): void {
  if (until > at && until <= latestDate) return
  throw new StorageError('InvalidArgument', 'The retain until date must be in the future!', {
    details: { ArgumentName: 'RetainUntilDate', ArgumentValue: showDate(until) },
  })
}

const latestDate = 8_640_000_000_000_000
const showDate = (time: number): string => (Math.abs(time) <= latestDate ? new Date(time).toISOString() : String(time))

/**
 * To keep a version longer is always allowed; to let go of it sooner, or under a weaker rule, only where GOVERNANCE is
 * bypassed. An expired retention forbids nothing.
 * @throws StorageError `AccessDenied`.
 */
export function checkRetentionChange(
  existing: Retention | undefined,
  next: Retention | undefined,
  { bypassGovernance, locks }: Circumstances,
): void {
  if (existing === undefined || existing.until <= locks) return
  if (next !== undefined && next.mode === existing.mode && next.until >= existing.until) return
  if (existing.mode === 'GOVERNANCE' && bypassGovernance) return
  throw isProtected()
}

/** Whether a version may be removed for good. @throws StorageError `AccessDenied`. */
export function checkRemovable({ retention, legalHold }: Held, { bypassGovernance, locks }: Circumstances): void {
  if (legalHold === 'ON') throw isProtected()
  if (retention === undefined || retention.until <= locks) return
  if (retention.mode === 'COMPLIANCE' || !bypassGovernance) throw isProtected()
}

/** Locks hold only where versions are kept for sure. @throws StorageError `InvalidRequest`. */
export function checkLockable({ settings }: { readonly settings?: { readonly ObjectLock?: unknown } }): void {
  if (settings?.ObjectLock !== undefined) return
  throw new StorageError('InvalidRequest', 'Bucket is missing Object Lock Configuration')
}

const isProtected = (): StorageError =>
  new StorageError('AccessDenied', 'Access Denied because object protected by object lock.')
