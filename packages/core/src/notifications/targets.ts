/** The targets of an event, by the notification configuration of the bucket. */
import type { NotificationConfiguration, NotificationTarget } from '../settings/notifications.ts'
import type { NotificationName } from './event-name.ts'

export const targetsOf = (
  { targets }: NotificationConfiguration,
  name: NotificationName,
  key: string,
): readonly NotificationTarget[] => targets.filter((target) => isMeant(target, name) && passes(target, key))

const isMeant = ({ events }: NotificationTarget, name: NotificationName): boolean =>
  events.some((pattern) =>
    pattern.endsWith(':*') ? `s3:${name}`.startsWith(pattern.slice(0, -1)) : pattern === `s3:${name}`,
  )

const passes = ({ filter = [] }: NotificationTarget, key: string): boolean =>
  filter.every(({ name, value }) => (name === 'prefix' ? key.startsWith(value) : key.endsWith(value)))
