/** Gathers what one file of a replica takes: the next events of the log, and the short bytes that they brought. */
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import { corruptEvent, decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import { linkedPages } from '../events/log.ts'
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
  const read: Gathered[] = []
  let bytes = 0
  const decode = (stored: StoredEvent): Gathered => ({ ...decodeEvent(hashing, stored), stored })
  for await (const page of linkedPages(journal, decode, { from, to, prev })) {
    for (const { event, stored } of page) {
      const blob = broughtBlob(event)?.content.blob
      bytes += stored.bytes.length + (blob?.inline === true ? blob.size : 0)
    }
    read.push(...page)
    if (read.length >= eventsMax || bytes >= bytesMax) break
  }
  const [first, last] = [read[0], read.at(-1)]
  if (first === undefined || last === undefined) throw corruptEvent(from, 'gap')
  return {
    events: read.map(({ stored }) => stored),
    brought: read.flatMap(({ event }) => broughtBlob(event) ?? []),
    hash: last.hash,
    store: from === 1 ? first.hash : undefined,
    times: [first.event.at, last.event.at],
    hasRequests: read.some(({ event }) => event.type === 'ErasureRequested'),
  }
}

interface Gathered extends DecodedEvent {
  readonly stored: StoredEvent
}
