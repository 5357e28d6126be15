/**
 * Reads events for a salvage. Earlier releases accepted values that JSON cannot express: a Date in place of a number
 * became text, a missing name stayed missing. If the meaning is clear, the event is corrected.
 */
import { openFrame, payloadOf } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import type { Hashing, StoredEvent } from '../ports/index.ts'
import { decodeEvent, eventKey, shapedEvent } from './event-codec.ts'
import type { RecordedEvent } from './event.ts'

export interface LooseEvent {
  /** Absent if no event can be read from the bytes. */
  readonly event?: RecordedEvent
  readonly isMended?: boolean
  /** The hash of the previous event, as this event states it. */
  readonly prev?: string
  /** The facts that could be read even if `event` is absent. */
  readonly type?: string
  readonly bucket?: string
  readonly key?: string
}

/** @throws StorageError `UnsupportedFormat` for an event of a newer release, which can salvage it. */
export function looseEvent(hashing: Hashing, stored: StoredEvent): LooseEvent {
  const payload = openFrame(hashing, eventKey(stored.seq), stored.bytes)
  if (payload === undefined) return {}
  const parsed = parse(payload)
  const { type, data, prev } = parsed ?? {}
  const { bucket, key } = isFields(data) ? data : {}
  const about = { ...ifText('type', type), ...ifText('bucket', bucket), ...ifText('key', key), ...ifText('prev', prev) }
  const event = attempt(() => decodeEvent(hashing, stored).event)
  if (event !== undefined) return { event, ...about }
  const mended = parsed && attempt(() => shapedEvent(mend(parsed) as never))
  return mended?.seq === stored.seq ? { event: mended, isMended: true, ...about } : about
}

type Fields = Readonly<Record<string, unknown>>

/** The hash that the next event and a witness have for it, even if it cannot be decoded. */
export const storedHash = (hashing: Hashing, { bytes }: StoredEvent): string => hashing.sha256(payloadOf(bytes))

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ifText = <N extends string>(name: N, value: unknown): { readonly [P in N]?: string } =>
  (typeof value === 'string' ? { [name]: value } : {}) as { readonly [P in N]?: string }

function parse(payload: Uint8Array): Fields | undefined {
  const value = attempt<unknown>(() => JSON.parse(decodeUtf8(payload)))
  return isFields(value) ? value : undefined
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function mend({ by, data, ...rest }: Fields): Fields {
  return { ...rest, by: named(by), data: isFields(data) ? mendData(data) : data }
}

function mendData({ owner, retention, value, ...rest }: Fields): Fields {
  return {
    ...rest,
    ...(owner !== undefined && { owner: named(owner) }),
    ...(retention !== undefined && { retention: dated(retention) }),
    ...(value !== undefined && { value: dated(value) }),
  }
}

/** An actor without a name gets its id as name. */
const named = (actor: unknown): unknown =>
  isFields(actor) && typeof actor['id'] === 'string' ? { name: actor['id'], ...actor } : actor

/** Converts a time that was written as text. */
function dated(retention: unknown): unknown {
  if (!isFields(retention) || typeof retention['until'] !== 'string') return retention
  const until = Date.parse(retention['until'])
  return Number.isNaN(until) ? retention : { ...retention, until }
}
