/** Gathers what one file of a replica takes: the next events of the log, and the short bytes that they brought. */
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import { corruptEvent, decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import { linkedPages } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Hashing, Journal, Seq, StoredEvent } from '../ports/index.ts'

export interface GatheredEvents {
  readonly events: readonly StoredEvent[]
  readonly brought: readonly Brought[]
  /** The hash of the last event. */
  readonly hash: string
  /** The hash of the first event of the log, if it is one of these. */
  readonly store: string | undefined
  readonly times: readonly [number, number]
  /** Whether somebody had bytes erased with one of these events. */
  readonly hasRequests: boolean
}

export interface Gathering {
  readonly journal: Pick<Journal, 'events'>
  readonly hashing: Hashing
  readonly from: Seq
  readonly to: Seq
  /** The hash of the event before `from`. */
  readonly prev: string
}

/** A file has not many more events or bytes than these, so that it can be made in memory. */
const eventsMax = 20_000
const bytesMax = 8 * 1024 * 1024

/** @throws StorageError `LogCorrupt` */
export async function gatherEvents({ journal, hashing, from, to, prev }: Gathering): Promise<GatheredEvents> {
  const gathered = new Gathered()
  const decode = (stored: StoredEvent) => ({ ...decodeEvent(hashing, stored), stored })
  for await (const page of linkedPages(journal, decode, { from, to, prev })) {
    for (const { event, hash, stored } of page) gathered.add(event, hash, stored)
    if (gathered.isFull) break
  }
  return gathered.result(from)
}

/** Keeps little of each event: there are many. */
class Gathered {
  readonly #events: StoredEvent[] = []
  readonly #brought: Brought[] = []
  #bytes = 0
  #first: Pick<DecodedEvent, 'hash' | 'event'> | undefined
  #last: Pick<DecodedEvent, 'hash' | 'event'> | undefined
  #hasRequests = false

  get isFull(): boolean {
    return this.#events.length >= eventsMax || this.#bytes >= bytesMax
  }

  add(event: RecordedEvent, hash: string, stored: StoredEvent): void {
    const brought = broughtBlob(event)
    if (brought !== undefined) this.#brought.push(brought)
    this.#bytes += stored.bytes.length + (brought?.content.blob.inline === true ? brought.content.blob.size : 0)
    this.#events.push(stored)
    if (event.type === 'ErasureRequested') this.#hasRequests = true
    this.#last = { event, hash }
    this.#first ??= this.#last
  }

  /** @throws StorageError `LogCorrupt` if there are no events from `from` on */
  result(from: Seq): GatheredEvents {
    const [first, last] = [this.#first, this.#last]
    if (first === undefined || last === undefined) throw corruptEvent(from, 'gap')
    return {
      events: this.#events,
      brought: this.#brought,
      hash: last.hash,
      store: from === 1 ? first.hash : undefined,
      times: [first.event.at, last.event.at],
      hasRequests: this.#hasRequests,
    }
  }
}
