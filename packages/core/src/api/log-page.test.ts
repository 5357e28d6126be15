/** The log backwards, page by page. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { RecordedEvent } from '../events/index.ts'
import type { EventFilter } from '../following/event-filter.ts'
import { codeOf } from './answers.fixture.ts'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { LogPageOptions } from './types/index.ts'

let ports: MemoryPorts
let store: Store
let all: readonly RecordedEvent[]

/** 20 events of `quiet`, then 700 of `busy`. */
beforeAll(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { retentionMs: 1e12 })
  await store.buckets.create('quiet')
  await store.buckets.create('busy')
  const ada = store.as({ by: { id: 'ada', name: 'Ada' }, requestId: 'of Ada' })
  for (let i = 0; i < 18; i++) await (i % 2 === 0 ? ada : store).objects.put('quiet', `${i % 3}/${i}`, 'x')
  await ada.objects.delete('quiet', '0/0')
  for (let i = 0; i < 700; i++) await store.objects.put('busy', `k${i}`, 'x')
  all = await forwards({})
})

async function forwards(filter: EventFilter): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of store.log(filter)) events.push(event)
  return events
}

/** Every page, as far as the log goes. */
async function pagesOf(options: LogPageOptions): Promise<readonly (readonly RecordedEvent[])[]> {
  const pages: (readonly RecordedEvent[])[] = []
  let next: number | undefined = Number.MAX_SAFE_INTEGER
  while (next !== undefined) {
    const page = await store.logPage({ ...options, before: Math.min(next, options.before ?? next) })
    pages.push(page.events)
    if (page.next !== undefined) expect(page.next).toBeLessThan(next)
    next = page.next
  }
  return pages
}

describe('a page of the log', () => {
  it('has the newest events first, and names where older ones are', async () => {
    const { events, next } = await store.logPage({ limit: 3 })
    expect(events).toEqual(all.slice(-3).toReversed())
    expect(next).toBe(all.length - 2)
    expect((await store.logPage()).events).toEqual(all.slice(-100).toReversed())
  })

  const filters: readonly LogPageOptions[] = [
    {},
    { bucket: 'quiet' },
    { bucket: 'quiet', prefix: '1/' },
    { by: 'Ada' },
    { by: 'ada', types: ['DeleteMarkerAdded', 'VersionRemoved'] },
    { requestId: 'of Ada' },
    { bucket: 'never' },
    { bucket: 'busy', before: 300 },
  ]
  it.each(
    filters.flatMap((filter) =>
      [{ limit: 1000 }, { limit: 7 }, { limit: 1, readsMax: 1000 }, { readsMax: 1, limit: 5 }, { readsMax: 50 }].map(
        (size) => [filter, size] as const,
      ),
    ),
  )('pages of %j in %j are the log, backwards', async (filter, size) => {
    const { before = all.length + 1, ...rest } = filter
    const expected = (await forwards(rest)).filter(({ seq }) => seq < before)
    const pages = await pagesOf({ ...filter, ...size })
    expect(pages.flat()).toEqual(expected.toReversed())
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(size.limit ?? 100)
  })

  it('reads no more than it may, whatever matches', async () => {
    let read = 0
    const { events } = ports.journal
    ports.journal.events = (range = {}) => {
      read += (range.to ?? 0) - (range.from ?? 1) + 1
      return events.call(ports.journal, range)
    }
    const page = await store.logPage({ bucket: 'quiet', readsMax: 300 })
    ports.journal.events = events
    expect(page).toEqual({ events: [], next: all.length - 299 })
    expect(read).toBe(300)
  })

  it('begins at the end of the log when its bound is past it, and is empty before the first event', async () => {
    const newest = await store.logPage({ limit: 1 })
    expect(await store.logPage({ limit: 1, before: all.length + 1000 })).toEqual(newest)
    expect(await store.logPage({ before: 1 })).toEqual({ events: [] })
    const empty = await openEngine(memoryPorts(), { retentionMs: 1e12 })
    expect(await empty.logPage()).toEqual({ events: [] })
    await empty.close()
    expect(await codeOf(empty.logPage())).toBe('StoreClosed')
  })

  it.each([
    { before: 0 },
    { before: -1 },
    { before: 1.5 },
    { limit: 0 },
    { limit: 1001 },
    { readsMax: 0 },
    { readsMax: 100_001 },
    { prefix: 'a' },
    { types: [] },
    { types: ['Nothing'] },
    { follow: true },
  ])('refuses %j', async (options) => {
    expect(await codeOf(store.logPage(options as LogPageOptions))).toBe('InvalidArgument')
  })

  it('stops when its signal aborts', async () => {
    const reason = new Error('enough')
    await expect(store.logPage({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
