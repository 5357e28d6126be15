/** Reads the log with checks, so the result is what was written, or an error that names the damaged position. */
import { corruptEvent, decodeEvent, type DecodedEvent } from './event-codec.ts'
import type { Hashing, Journal, Seq, StoredEvent } from '../ports/index.ts'

export interface LogRange {
  /** The first position. Default 1. */
  readonly from?: Seq
  /** The last position, inclusive. */
  readonly to: Seq
}

/** The ports that the log is read through. */
export interface LogPorts {
  readonly journal: Pick<Journal, 'events'>
  readonly hashing: Hashing
  /** The decoder of the format that the events have. Default: the current one. */
  readonly decode?: typeof decodeEvent
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
export async function* readLogPages(
  { journal, hashing, decode = decodeEvent }: LogPorts,
  { from = 1, to }: LogRange,
): AsyncGenerator<readonly DecodedEvent[]> {
  const chain = new Chain((stored) => decode(hashing, stored), from)
  let page: DecodedEvent[] = []
  let size = 0
  try {
    for await (const stored of journal.events({ from, to })) {
      page.push(chain.take(stored))
      size += stored.bytes.length
      if (page.length < pageEvents && size < pageBytes) continue
      yield page
      page = []
      size = 0
    }
    if (chain.next <= to) throw corruptEvent(chain.next, 'gap')
  } catch (error) {
    if (page.length > 0) yield page
    throw error
  }
  if (page.length > 0) yield page
}

class Chain {
  /** The next expected position. */
  next: Seq
  readonly #decode: (stored: StoredEvent) => DecodedEvent
  /** The hash of the previous event; `undefined` if it is not known. */
  #prev: string | undefined

  constructor(decode: (stored: StoredEvent) => DecodedEvent, from: Seq) {
    this.#decode = decode
    this.next = from
    this.#prev = from === 1 ? '' : undefined
  }

  take(stored: StoredEvent): DecodedEvent {
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
