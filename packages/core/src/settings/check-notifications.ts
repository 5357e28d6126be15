import { StorageError } from '../base/errors.ts'
import type { NotificationConfiguration, NotificationTarget } from './notifications.ts'

/**
 * An event of a key belongs to one target, as in S3: two targets with a common event need prefixes of which neither begins with
 * the other, or suffixes of which neither ends with the other.
 * @throws StorageError `InvalidArgument`
 */
export function checkNotifications({ targets }: NotificationConfiguration): void {
  for (const [place, target] of targets.entries()) {
    const other = targets.slice(0, place).find((earlier) => overlap(earlier, target))
    if (other === undefined) continue
    const isFiltered = [other, target].some(({ filter = [] }) => filter.length > 0)
    throw new StorageError('InvalidArgument', isFiltered ? ambiguous : shared)
  }
}

const shared = 'Configurations overlap. Configurations on the same bucket cannot share a common event type.'
const ambiguous =
  'Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the prefixes are overlapping for the same event type.'

const overlap = (one: NotificationTarget, other: NotificationTarget): boolean =>
  one.events.some((event) => other.events.some((also) => shareEvents(event, also))) &&
  areNested(valueOf(one, 'prefix'), valueOf(other, 'prefix'), (long, short) => long.startsWith(short)) &&
  areNested(valueOf(one, 'suffix'), valueOf(other, 'suffix'), (long, short) => long.endsWith(short))

const shareEvents = (one: string, other: string): boolean => isAmong(one, other) || isAmong(other, one)

const isAmong = (event: string, pattern: string): boolean =>
  event === pattern || (pattern.endsWith(':*') && event.startsWith(pattern.slice(0, -1)))

/** Without a rule, every key passes, as with an empty value. */
const valueOf = ({ filter = [] }: NotificationTarget, wanted: 'prefix' | 'suffix'): string =>
  filter.find(({ name }) => name === wanted)?.value ?? ''

const areNested = (one: string, other: string, begins: (long: string, short: string) => boolean): boolean =>
  begins(one, other) || begins(other, one)
