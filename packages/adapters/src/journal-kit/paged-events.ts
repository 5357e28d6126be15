/** The events of a journal that reads many at a time. */
import type { StoredEvent, StoredEvents } from '@varve/core'
import type { JournalGate } from './journal-gate.ts'

export const pagedEvents = (gate: JournalGate, pages: () => AsyncGenerator<readonly StoredEvent[]>): StoredEvents => ({
  pages,
  async *[Symbol.asyncIterator]() {
    for await (const page of pages()) {
      for (const event of page) {
        gate.assertOpen()
        yield event
      }
    }
  },
})
