/**
 * Checks that a lifecycle configuration is consistent. All ways to set it come here; the HTTP package parses the XML.
 */
import { encodeUtf8 } from '../bytes/utf8.ts'
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import { checkTagKeys } from './check-tags.ts'
import { dayMs, type LifecycleConfiguration, type LifecycleRule } from './lifecycle.ts'

const rulesMax = 1000
const idMax = 255
/** In bytes: S3's bound of sizes in filters. */
const sizeMax = 1_099_511_627_776_000
const newerMax = 100
/** In bytes of UTF-8: the maximum length of a key. */
const prefixMax = limits.keyBytesMax

/** @throws StorageError `InvalidArgument`, `InvalidRequest`, with S3's messages where S3 has one. */
export function checkLifecycle({ rules }: LifecycleConfiguration): void {
  if (rules.length === 0 || rules.length > rulesMax) {
    throw invalid('Rule', `A lifecycle configuration has 1 to ${rulesMax} rules.`)
  }
  for (const rule of rules) checkRule(rule)
  const ids = rules.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw invalid('ID', 'Rule ID must be unique. Found same ID for more than one rule', twice)
}

function checkRule(rule: LifecycleRule): void {
  const { id, filter, expiration, noncurrentExpiration, abortUploadsAfterDays } = rule
  if (id.length > idMax) throw invalid('ID', `ID length should not exceed allowed limit of ${idMax}`, id)
  if (filter.prefix !== undefined && encodeUtf8(filter.prefix).length > prefixMax) {
    throw new StorageError('InvalidRequest', `The maximum size of a prefix is ${prefixMax}.`)
  }
  checkFilter(rule)
  if (expiration !== undefined && 'days' in expiration) checkDays('Days', 'Expiration', expiration.days)
  if (expiration !== undefined && 'date' in expiration) checkDate(expiration.date)
  checkTransitions(rule)
  if (noncurrentExpiration !== undefined) {
    checkDays('NoncurrentDays', 'NoncurrentVersionExpiration', noncurrentExpiration.days)
    checkNewer('NoncurrentVersionExpiration', noncurrentExpiration.newerVersions)
  }
  if (abortUploadsAfterDays !== undefined) {
    checkDays('DaysAfterInitiation', 'AbortIncompleteMultipartUpload', abortUploadsAfterDays)
  }
}

/** A filter that an action cannot apply would be passed over: uploads and delete markers have no tags and no size. */
function checkFilter(rule: LifecycleRule): void {
  const { filter } = rule
  const { tags = [], sizeGreaterThan, sizeLessThan } = filter
  if (new Set(tags.map(({ key }) => key)).size < tags.length) {
    throw new StorageError('InvalidRequest', 'Duplicate Tag Keys are not allowed.')
  }
  checkTagKeys(tags)
  checkSizes(filter)
  const hasSize = sizeGreaterThan !== undefined || sizeLessThan !== undefined
  for (const action of actionsWithoutObjects(rule)) {
    if (tags.length > 0) throw cannotHave(action, 'Tags')
    if (hasSize) throw cannotHave(action, 'Object Size')
  }
}

function checkSizes({ sizeGreaterThan, sizeLessThan }: LifecycleRule['filter']): void {
  checkSize('ObjectSizeGreaterThan', sizeGreaterThan, 0)
  checkSize('ObjectSizeLessThan', sizeLessThan, 1)
  if (sizeGreaterThan === undefined || sizeLessThan === undefined || sizeLessThan > sizeGreaterThan) return
  throw new StorageError(
    'InvalidRequest',
    "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
  )
}

/** S3's message. No object is smaller than nothing. */
function checkSize(name: string, size: number | undefined, min: number): void {
  if (size === undefined || (Number.isInteger(size) && size >= min && size <= sizeMax)) return
  throw new StorageError('InvalidRequest', `'${name}' should be between ${min} and ${sizeMax}.`)
}

function checkNewer(action: string, newer: number | undefined): void {
  if (newer === undefined || (Number.isInteger(newer) && newer >= 1 && newer <= newerMax)) return
  const message = `'NewerNoncurrentVersions' for ${action} action must be a positive integer of at most ${newerMax}`
  throw invalid('NewerNoncurrentVersions', message, newer)
}

const actionsWithoutObjects = ({ expiration, abortUploadsAfterDays }: LifecycleRule): readonly string[] => [
  ...(expiration !== undefined && 'expiredObjectDeleteMarker' in expiration ? ['ExpiredObjectDeleteMarker'] : []),
  ...(abortUploadsAfterDays === undefined ? [] : ['AbortIncompleteMultipartUpload']),
]

function checkTransitions({ transitions = [], noncurrentTransitions = [] }: LifecycleRule): void {
  for (const { date } of transitions) if (date !== undefined) checkDate(date)
  for (const { newerVersions } of noncurrentTransitions) checkNewer('NoncurrentVersionTransition', newerVersions)
  for (const { days, date } of [...transitions, ...noncurrentTransitions]) {
    if (date === undefined && !(Number.isInteger(days) && (days as number) >= 0)) {
      throw invalid('Days', "'Days' in Transition action must be nonnegative", days)
    }
  }
}

function checkDays(name: string, action: string, days: number): void {
  if (Number.isInteger(days) && days > 0 && days <= 2 ** 31 - 1) return
  throw invalid(name, `'${name}' for ${action} action must be a positive integer`, days)
}

/** A store may have shorter days for rules, but dates are always real midnights. */
function checkDate(date: number): void {
  if (date % dayMs !== 0) throw invalid('Date', "'Date' must be at midnight GMT", new Date(date).toISOString())
}

function invalid(name: string, message: string, value?: string | number): StorageError {
  const details = { ArgumentName: name, ...(value !== undefined && { ArgumentValue: value }) }
  return new StorageError('InvalidArgument', message, { details })
}

const cannotHave = (action: string, what: string): StorageError =>
  new StorageError('InvalidRequest', `${action} cannot be specified with ${what}.`)
