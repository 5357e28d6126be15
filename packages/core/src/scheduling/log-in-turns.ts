/** The log, for readers that serve requests: its events are decoded in turns, by their bytes. */
import type { Journal, RowReader, StoredEvent, StoredEvents } from '../ports/index.ts'
import type { TurnTaking } from './turn-taking.ts'

/** An event can have a megabyte, which takes a tenth of a second to decode. Others are served between two such events. */
export function logInTurns(
  journal: RowReader & Pick<Journal, 'events'>,
  turns: TurnTaking,
): RowReader & Pick<Journal, 'events'> {
  return {
    get: (key) => journal.get(key),
    getMany: (keys) => journal.getMany(keys),
    cursor: (range) => journal.cursor(range),
    events(range) {
      const pages = (): AsyncGenerator<readonly StoredEvent[]> => pacedPages(journal.events(range), turns)
      return { pages, [Symbol.asyncIterator]: () => singles(pages()) }
    },
  }
}

/** The most bytes that are decoded without a pause, unless one event has more. */
const pageBytes = 32 * 1024

async function* pacedPages(events: StoredEvents, turns: TurnTaking): AsyncGenerator<readonly StoredEvent[]> {
  for await (const stored of events.pages?.() ?? inPages(events)) {
    for (let from = 0; from < stored.length; ) {
      let to = from
      let bytes = 0
      while (to < stored.length && bytes < pageBytes) bytes += (stored[to++] as StoredEvent).bytes.length
      const turn = turns.take(bytes)
      if (turn !== undefined) await turn
      yield from === 0 && to === stored.length ? stored : stored.slice(from, to)
      from = to
    }
  }
}

async function* inPages(events: StoredEvents): AsyncGenerator<readonly StoredEvent[]> {
  for await (const stored of events) yield [stored]
}

async function* singles(pages: AsyncGenerator<readonly StoredEvent[]>): AsyncGenerator<StoredEvent> {
  for await (const page of pages) yield* page
}
