/** Events that other engines on the journal committed. */
import { StorageError } from '../base/errors.ts'
import { corruptEvent } from '../events/event-codec.ts'
import type { RecordedEvent } from '../events/index.ts'
import { type LogPorts, readLogPages } from '../events/log.ts'
import type { Journal, Seq } from '../ports/index.ts'
import { type LogEnd, logEndAt } from './recorder.ts'

export interface ForeignEvents {
  readonly events: readonly RecordedEvent[]
  /** The end of the log after these events. */
  readonly end: LogEnd
}

/**
 * The events after `known`, in pages, up to `seen`, which a snapshot has shown, or up to the end of the log if that is not after `known`.
 * The events must continue the log that this engine knows.
 * @throws StorageError `LogCorrupt`; `AcknowledgedWritesLost` if the log is shorter than this engine knows
 */
export async function* followForeignEvents(
  log: LogPorts & { readonly journal: Pick<Journal, 'head' | 'events'> },
  known: LogEnd,
  seen: Seq,
): AsyncGenerator<ForeignEvents> {
  const head = seen > known.seq ? seen : await log.journal.head()
  if (head < known.seq) {
    throw new StorageError('AcknowledgedWritesLost', `The log ends at ${head}; it once reached ${known.seq}.`, {
      details: { head, witness: known.seq },
    })
  }
  if (head === known.seq) return
  let prev = known.hash
  for await (const page of readLogPages(log, { from: known.seq + 1, to: head })) {
    const [first] = page
    const last = page.at(-1)
    if (first === undefined || last === undefined) continue
    if (first.event.prev !== prev) throw corruptEvent(first.event.seq, 'chain')
    prev = last.hash
    yield { events: page.map(({ event }) => event), end: logEndAt(last) }
  }
}
