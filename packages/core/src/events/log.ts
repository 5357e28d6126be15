/** Reads the log with checks, so the result is what was written, or an error that names the damaged position. */
import { payloadOf } from '../bytes/frame.ts'
import { checkFrame, corruptEvent, decodeEvent, type DecodedEvent } from './event-codec.ts'
import type { RecordedEvent } from './event.ts'
import type { Hashing, Journal, Seq, StoredEvent, StoredEvents, Tip } from '../ports/index.ts'

export interface LogRange {
  /** The first position. Default 1. */
  readonly from?: Seq
  /** The last position, inclusive. */
  readonly to: Seq
  /** The hash of the event before the first position. @default not known, so the first event is bound to none before it */
  readonly prev?: string
}

/** The ports that the log is read through. */
export interface LogPorts {
  readonly journal: Pick<Journal, 'events'>
  readonly hashing: Hashing
}

/** The maximum size of a page, in events and in their bytes. */
const pageEvents = 64
const pageBytes = 1024 * 1024

/**
 * Events in order, positions without a gap, each bound to the one before by its hash.
 * @throws StorageError `LogCorrupt` with `details.seq` and `details.kind`: `checksum`, `position`, `gap`, `chain`.
 */
export async function* readLog(log: LogPorts, range: LogRange): AsyncGenerator<DecodedEvent> {
  for await (const page of readLogPages(log, range)) for (const decoded of page) yield decoded
}

/**
 * As `readLog`, in pages: awaiting single events would cost more than checking them. Sound events come before an error.
 */
export const readLogPages = (
  { journal, hashing }: LogPorts,
  range: LogRange,
): AsyncGenerator<readonly DecodedEvent[]> => linkedPages(journal, (stored) => decodeEvent(hashing, stored), range)

/** The event at a position, as a witness has it. @throws StorageError `LogCorrupt` if it is damaged or missing */
export async function tipAt(log: LogPorts, seq: Seq): Promise<Tip> {
  for await (const { hash } of readLog(log, { from: seq, to: seq })) return { seq, hash }
  throw corruptEvent(seq, 'missing')
}

/** An event, and the hash that the next one has for it. */
export interface LinkedEvent {
  readonly event: RecordedEvent
  readonly hash: string
}

/** As `readLogPages`, for events of any format. */
export async function* linkedPages<E extends LinkedEvent>(
  journal: LogPorts['journal'],
  decode: (stored: StoredEvent) => E,
  { from = 1, to, prev }: LogRange,
): AsyncGenerator<readonly E[]> {
  const chain = new Chain(decode, from, prev)
  let page: E[] = []
  let size = 0
  try {
    for await (const storedPage of storedPages(journal.events({ from, to }))) {
      for (const stored of storedPage) {
        page.push(chain.take(stored))
        size += stored.bytes.length
        if (page.length < pageEvents && size < pageBytes) continue
        yield page
        page = []
        size = 0
      }
    }
    if (chain.next <= to) throw corruptEvent(chain.next, 'gap')
  } catch (error) {
    if (page.length > 0) yield page
    throw error
  }
  if (page.length > 0) yield page
}

/** Stored events in pages; of one event each, if the journal has no pages. */
export const storedPages = (events: StoredEvents): AsyncIterable<readonly StoredEvent[]> =>
  events.pages?.() ?? singlePages(events)

async function* singlePages(events: StoredEvents): AsyncGenerator<readonly StoredEvent[]> {
  for await (const stored of events) yield [stored]
}

class Chain<E extends LinkedEvent> {
  /** The next expected position. */
  next: Seq
  readonly #decode: (stored: StoredEvent) => E
  /** The hash of the previous event; `undefined` if it is not known. */
  #prev: string | undefined

  constructor(decode: (stored: StoredEvent) => E, from: Seq, prev: string | undefined) {
    this.#decode = decode
    this.next = from
    this.#prev = from === 1 ? '' : prev
  }

  take(stored: StoredEvent): E {
    if (stored.seq !== this.next) throw corruptEvent(this.next, 'gap')
    const decoded = this.#decode(stored)
    if (this.#prev !== undefined && decoded.event.prev !== this.#prev) throw corruptEvent(this.next, 'chain')
    this.#prev = decoded.hash
    this.next++
    return decoded
  }
}

/** Reads one event. @throws StorageError `LogCorrupt`. */
export async function readEvent(log: LogPorts, seq: Seq): Promise<DecodedEvent> {
  for await (const decoded of readLog(log, { from: seq, to: seq })) return decoded
  throw corruptEvent(seq, 'missing')
}

/** The bytes that the hash of an event covers. @throws StorageError `LogCorrupt` */
export async function readEventBytes({ journal, hashing }: LogPorts, seq: Seq): Promise<Uint8Array> {
  for await (const stored of journal.events({ from: seq, to: seq })) {
    if (stored.seq !== seq) break
    checkFrame(hashing, stored)
    return payloadOf(stored.bytes).slice()
  }
  throw corruptEvent(seq, 'missing')
}
