/** Gathers what one file of a replica takes: the next events of the log, and the short bytes that they brought. */
import { corruptEvent, decodeEvent } from '../events/event-codec.ts'
import { storedPages } from '../events/log.ts'
import type { Hashing, Journal, Seq, StoredEvent } from '../ports/index.ts'
import { type Brought, broughtBlob } from '../repair/copy-log.ts'

export interface GatheredEvents {
  readonly events: readonly StoredEvent[]
  readonly brought: readonly Brought[]
  /** The hash of the last event. */
  readonly hash: string
  /** The hash of the first event of the log, if it is one of these. */
  readonly store: string | undefined
  readonly times: readonly [number, number]
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
  const events: StoredEvent[] = []
  const brought: Brought[] = []
  let [hash, next, bytes] = [prev, from, 0]
  let store: string | undefined
  const times: number[] = []
  for await (const page of storedPages(journal.events({ from, to }))) {
    for (const stored of page) {
      if (stored.seq !== next) throw corruptEvent(next, 'gap')
      const decoded = decodeEvent(hashing, stored)
      if (decoded.event.prev !== hash) throw corruptEvent(next, 'chain')
      hash = decoded.hash
      if (next++ === 1) store = hash
      times.push(decoded.event.at)
      events.push(stored)
      bytes += stored.bytes.length
      const blob = broughtBlob(decoded.event)
      if (blob === undefined) continue
      brought.push(blob)
      if (blob.content.blob.inline) bytes += blob.content.blob.size
    }
    if (events.length >= eventsMax || bytes >= bytesMax) break
  }
  if (events.length === 0) throw corruptEvent(from, 'gap')
  return { events, brought, hash, store, times: [times[0] as number, times.at(-1) as number] }
}
