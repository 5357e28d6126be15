/**
 * Notifications as a projection of the log: the events of objects, for the targets that the bucket's configuration had
 * at that position. From a given position the result is always the same, so a reader that stores its position misses
 * nothing.
 */
import type { Soon } from '../base/soon.ts'
import { asOf } from '../reads/as-of.ts'
import { type NotifiedEvent, notified } from '../notifications/event-name.ts'
import { notificationRecord, type NotificationRecord } from '../notifications/record.ts'
import { targetsOf } from '../notifications/targets.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { NotificationConfiguration, NotificationTarget } from '../settings/notifications.ts'
import type { BucketRow } from '../views/rows.ts'
import type { Engine } from '../engine/engine.ts'
import { atCall } from './arguments/at-call.ts'
import { optionsOf } from './arguments/common.ts'
import { notificationOptions } from './arguments/log-options.ts'
import { followLog } from './history.ts'
import { readEvent } from '../events/log.ts'
import type { NotificationOptions } from './types/index.ts'

/** One event notification and the targets that it is for. */
export interface Notification {
  /** The position of the event. To continue after it, start at the next position. */
  readonly seq: Seq
  /** True for the last notification of this event. */
  readonly isLast: boolean
  readonly target: NotificationTarget
  readonly record: NotificationRecord
}

interface Configured {
  readonly row: BucketRow
  readonly configuration: NotificationConfiguration
}

/** In log order. Several notifications of one event have the order of the configuration. */
export function followNotifications(engine: Engine, options?: NotificationOptions): AsyncIterable<Notification> {
  return walkNotifications(
    engine,
    atCall(() => optionsOf(notificationOptions, options)),
  )
}

async function* walkNotifications(engine: Engine, options: () => NotificationOptions): AsyncGenerator<Notification> {
  const { bucket, onPassed, ...log } = options()
  const buckets = new Configurations(engine)
  for await (const event of followLog(engine, log)) {
    buckets.sees(event)
    const found = notified(event)
    const isMeant = found !== undefined && (bucket === undefined || found.event.data.bucket === bucket)
    const notifications = isMeant ? await notificationsOf(engine, buckets, found) : []
    yield* notifications
    if (notifications.length === 0 && onPassed !== undefined) await onPassed(event.seq)
  }
}

/** In the order of the configuration. */
async function notificationsOf(
  engine: Engine,
  buckets: Configurations,
  { name, event }: NonNullable<ReturnType<typeof notified>>,
): Promise<readonly Notification[]> {
  const configured = await buckets.of(event)
  if (configured === undefined) return []
  const { owner, region } = configured.row
  const targets = targetsOf(configured.configuration, name, event.data.key)
  const etag = targets.length === 0 ? undefined : await etagOf(engine, event)
  return targets.map((target, i) => {
    const context = { name, configurationId: target.id, bucket: { owner: owner.id, region }, etag }
    return { seq: event.seq, isLast: i === targets.length - 1, target, record: notificationRecord(event, context) }
  })
}

/** The notification configurations at the current position. Each is kept until an event changes its bucket. */
class Configurations {
  readonly #engine: Engine
  readonly #known = new Map<string, Configured | undefined>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Any event of the bucket itself may change its configuration, so the kept one is dropped. */
  sees({ data }: RecordedEvent): void {
    if ('bucket' in data && data.bucket !== undefined && !('key' in data)) this.#known.delete(data.bucket)
  }

  async of({ seq, data: { bucket } }: NotifiedEvent): Promise<Configured | undefined> {
    if (!this.#known.has(bucket)) this.#known.set(bucket, await this.#lookUp(bucket, seq))
    return this.#known.get(bucket)
  }

  #lookUp(name: string, at: Seq): Soon<Configured | undefined> {
    return this.#engine.withSnapshot(async (rows) => {
      const snapshot = asOf(rows, this.#engine.ports.hashing, at)
      const row = await snapshot.bucket(name)
      const configuration = row && (await snapshot.setting({ name, row }, 'Notifications'))
      return row && configuration && { row, configuration }
    })
  }
}

async function etagOf({ pacedLog }: Engine, event: NotifiedEvent): Promise<string | undefined> {
  if (event.type !== 'ObjectTagsSet' && event.type !== 'ObjectAclSet') return undefined
  const { event: made } = await readEvent(pacedLog, event.data.version)
  return 'etag' in made.data ? made.data.etag : undefined
}
