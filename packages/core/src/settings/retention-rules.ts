/** The rules of Object Lock. Times are milliseconds since the epoch. */
import { StorageError } from '../base/errors.ts'
import type { ObjectLockConfiguration, Retention } from './object-lock.ts'

/** The locks of a version. */
interface Held {
  readonly retention?: Retention
  readonly legalHold?: 'ON' | 'OFF'
}

interface Circumstances {
  readonly bypassGovernance: boolean
  /** The time that decides whether locks have ended. */
  readonly locks: number
}

const dayMs = 24 * 60 * 60 * 1000
const daysMax = 36_500
const yearsMax = 100

/** @throws StorageError `InvalidRetentionPeriod` unless days or years are positive and at most a century. */
export function checkObjectLockConfiguration({ default: period }: ObjectLockConfiguration): void {
  if (period === undefined) return
  const [length, max] = 'days' in period ? [period.days, daysMax] : [period.years, yearsMax]
  if (!Number.isInteger(length) || length < 1) {
    throw new StorageError('InvalidRetentionPeriod', 'Default retention period must be a positive integer value.')
  }
  if (length > max) throw new StorageError('InvalidRetentionPeriod', 'Default retention period is too long.')
}

/** The default retention of a new version that requests none. */
export function defaultRetention({ default: period }: ObjectLockConfiguration, at: number): Retention | undefined {
  if (period === undefined) return undefined
  if ('days' in period) return { mode: period.mode, until: at + period.days * dayMs }
  const date = new Date(at)
  date.setUTCFullYear(date.getUTCFullYear() + period.years)
  return { mode: period.mode, until: date.getTime() }
}

/** @throws StorageError `InvalidArgument` for a date that has passed or is out of range. */
export function checkRetention({ until }: Retention, at: number): void {
  if (until > at && until <= latestDate) return
  throw new StorageError('InvalidArgument', 'The retain until date must be in the future!', {
    details: { ArgumentName: 'RetainUntilDate', ArgumentValue: showDate(until) },
  })
}

const latestDate = 8_640_000_000_000_000
const showDate = (time: number): string => (Math.abs(time) <= latestDate ? new Date(time).toISOString() : String(time))

/**
 * A longer retention is always allowed. A shorter or a weaker one is allowed only if GOVERNANCE is bypassed. An expired
 * retention forbids nothing.
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

/** Whether a version may be permanently removed. */
export function isRemovable({ retention, legalHold }: Held, { bypassGovernance, locks }: Circumstances): boolean {
  if (legalHold === 'ON') return false
  if (retention === undefined || retention.until <= locks) return true
  return retention.mode !== 'COMPLIANCE' && bypassGovernance
}

/** Checks whether a version may be permanently removed. @throws StorageError `AccessDenied`. */
export function checkRemovable(held: Held, circumstances: Circumstances): void {
  if (!isRemovable(held, circumstances)) throw isProtected()
}

/** A lock requires a bucket with Object Lock. @throws StorageError `InvalidRequest`. */
export function checkLockable({ settings }: { readonly settings?: { readonly ObjectLock?: unknown } }): void {
  if (settings?.ObjectLock !== undefined) return
  throw new StorageError('InvalidRequest', 'Bucket is missing Object Lock Configuration')
}

const isProtected = (): StorageError =>
  new StorageError('AccessDenied', 'Access Denied because object protected by object lock.')
