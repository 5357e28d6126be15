/**
 * Events as a salvage reads them. Earlier releases accepted values that JSON cannot express: a Date for a number became text, a
 * name that was missing stayed missing. Where it is plain what was meant, the event is brought to that.
 */
import { openFrame, payloadOf } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import type { Hashing, StoredEvent } from '../ports/index.ts'
import { decodeEvent, eventKey, shapedEvent } from './event-codec.ts'
import type { RecordedEvent } from './event.ts'

export interface LooseEvent {
  /** Absent: nothing can be made of it. */
  readonly event?: RecordedEvent
  readonly isMended?: boolean
  /** The hash of the event before, as this one has it. */
  readonly prev?: string
  /** What is known of it in any case. */
  readonly type?: string
  readonly bucket?: string
  readonly key?: string
}

/** @throws StorageError `UnsupportedFormat` for an event of a newer release: that one can save it. */
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

/** The hash that the next event and a witness have of it, whether it can be decoded or not. */
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

/** Someone without a name is called by the id. */
const named = (actor: unknown): unknown =>
  isFields(actor) && typeof actor['id'] === 'string' ? { name: actor['id'], ...actor } : actor

/** A moment that was written as text. */
function dated(retention: unknown): unknown {
  if (!isFields(retention) || typeof retention['until'] !== 'string') return retention
  const until = Date.parse(retention['until'])
  return Number.isNaN(until) ? retention : { ...retention, until }
}
