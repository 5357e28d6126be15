/** Reading the log: every step of the way is checked, so what comes out is what was put in, or an error that says where. */
import { corruptEvent, decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import type { Hashing, Journal, Seq } from '../ports/index.ts'

export interface LogRange {
  /** First position. Default 1. */
  readonly from?: Seq
  /** Last position, inclusive. */
  readonly to: Seq
}

interface Log {
  readonly journal: Pick<Journal, 'events'>
  readonly hashing: Hashing
}

/**
 * Events in order, positions without a gap, each bound to the one before by its hash.
 * @throws StorageError `LogCorrupt` with `details.seq` and `details.kind`: `checksum`, `position`, `gap`, `chain`.
 */
export async function* readLog({ journal, hashing }: Log, { from = 1, to }: LogRange): AsyncGenerator<DecodedEvent> {
  let next = from
  let prev = from === 1 ? '' : undefined
  for await (const stored of journal.events({ from, to })) {
    if (stored.seq !== next) throw corruptEvent(next, 'gap')
    const decoded = decodeEvent(hashing, stored)
    if (prev !== undefined && decoded.event.prev !== prev) throw corruptEvent(next, 'chain')
    yield decoded
    prev = decoded.hash
    next++
  }
  if (next <= to) throw corruptEvent(next, 'gap')
}

/** One event. @throws StorageError `LogCorrupt`. */
export async function readEvent(log: Log, seq: Seq): Promise<DecodedEvent> {
  for await (const decoded of readLog(log, { from: seq, to: seq })) return decoded
  throw corruptEvent(seq, 'missing')
}
