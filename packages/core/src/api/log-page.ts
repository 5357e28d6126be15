/** Reads the log backwards. Journals read forwards, so this reads short spans of it, from the end on. */
import type { Engine } from '../engine/engine.ts'
import type { RecordedEvent } from '../events/index.ts'
import { readLog } from '../events/log.ts'
import { eventFilter } from '../following/event-filter.ts'
import type { LogPage, LogPageOptions } from './types/index.ts'

/** How many events are read at once, and so the most that are read for nothing. */
const spanMax = 256

/** @param given Checked options. @throws StorageError `LogCorrupt` */
export async function logPage(engine: Engine, given: LogPageOptions): Promise<LogPage> {
  const { before = Number.POSITIVE_INFINITY, limit = 100, readsMax = 10_000, signal } = given
  engine.assertOpen()
  await engine.fresh()
  const matches = eventFilter(given)
  const events: RecordedEvent[] = []
  let to = Math.min(before - 1, engine.writer.committed)
  for (let left = readsMax; to > 0 && left > 0; ) {
    const from = Math.max(1, to - Math.min(spanMax, left) + 1)
    const found: RecordedEvent[] = []
    for await (const { event } of readLog(engine.pacedLog, { from, to })) {
      signal?.throwIfAborted()
      if (matches(event)) found.push(event)
    }
    for (const event of found.toReversed()) {
      events.push(event)
      if (events.length === limit) return pageOf(events, event.seq)
    }
    left -= to - from + 1
    to = from - 1
  }
  return pageOf(events, to + 1)
}

/** Before position 1 there is nothing. */
const pageOf = (events: readonly RecordedEvent[], next: number): LogPage => ({ events, ...(next > 1 && { next }) })
