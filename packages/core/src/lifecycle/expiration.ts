/** Computes when lifecycle rules remove objects. Pure: times are milliseconds since the epoch. */
import type { LifecycleConfiguration, LifecycleFilter, LifecycleRule } from '../settings/lifecycle.ts'
import type { Tag } from '../settings/tags.ts'

/** The facts of an object that rules use. */
export interface JudgedObject {
  readonly key: string
  readonly size: number
  readonly tags: readonly Tag[]
  /** When it was created. */
  readonly at: number
}

/** When a lifecycle rule removes an object, or aborts an upload. */
export interface Expiration {
  readonly date: Date
  /** The rule that does it. */
  readonly ruleId: string
}

/** The time `days` later, rounded up to the next midnight UTC, as in S3. */
export const daysLater = (at: number, days: number, day: number): number => Math.ceil((at + days * day) / day) * day

export const enabledRules = ({ rules }: LifecycleConfiguration): readonly LifecycleRule[] =>
  rules.filter(({ status }) => status === 'Enabled')

export function filterHolds(filter: LifecycleFilter, { key, size, tags }: Omit<JudgedObject, 'at'>): boolean {
  const { prefix = '', tags: wanted = [], sizeGreaterThan = -1, sizeLessThan = Number.POSITIVE_INFINITY } = filter
  const isTagged = (tag: Tag) => tags.some((one) => one.key === tag.key && one.value === tag.value)
  return key.startsWith(prefix) && size > sizeGreaterThan && size < sizeLessThan && wanted.every(isTagged)
}

/** When a current object expires, and by which rule: the earliest one. `undefined` if no rule applies. */
export function expirationOf(
  configuration: LifecycleConfiguration,
  object: JudgedObject,
  day: number,
): Expiration | undefined {
  return earliest(enabledRules(configuration), ({ filter, expiration }) => {
    if (expiration === undefined || 'expiredObjectDeleteMarker' in expiration || !filterHolds(filter, object)) return
    return 'date' in expiration ? expiration.date : daysLater(object.at, expiration.days, day)
  })
}

/** When an upload in progress is aborted, and by which of these enabled rules: the earliest one. An upload has no size and no tags. */
export function abortionOf(
  rules: readonly LifecycleRule[],
  { key, at }: Pick<JudgedObject, 'key' | 'at'>,
  day: number,
): Expiration | undefined {
  return earliest(rules, ({ filter: { prefix = '' }, abortUploadsAfterDays: days }) =>
    days === undefined || !key.startsWith(prefix) ? undefined : daysLater(at, days, day),
  )
}

function earliest(
  rules: readonly LifecycleRule[],
  timeOf: (rule: LifecycleRule) => number | undefined,
): Expiration | undefined {
  let first: Expiration | undefined
  for (const rule of rules) {
    const time = timeOf(rule)
    if (time === undefined) continue
    if (first === undefined || time < first.date.getTime()) first = { date: new Date(time), ruleId: rule.id }
  }
  return first
}
