import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryJournal, type MemoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { toHex } from '../bytes/hex.ts'
import { encodeEvent } from '../events/event-codec.ts'
import { decodeEvent } from '../events/event-codec.ts'
import { tipAt } from '../events/log.ts'
import type { Seq, StoredEvent, Tip } from '../ports/index.ts'
import { mendLog } from './mend-log.ts'
import type { EventSource } from './mended-journal.ts'

const count = 12
let whole: MemoryJournal
let damaged: MemoryJournal
let tip: Tip

beforeEach(async () => {
  const ports = memoryPorts()
  const store = await openEngine(ports, { inlineMax: 100 })
  await store.buckets.create('box')
  while (store.seq < count) await store.objects.put('box', `key ${store.seq}`, 'text')
  await store.close()
  whole = ports.journal
  damaged = copyOf(whole)
  tip = await tipAt({ journal: whole, hashing }, count)
})

function copyOf(journal: MemoryJournal): MemoryJournal {
  const copy = memoryJournal()
  copy.log.push(...journal.log.map((bytes) => Uint8Array.from(bytes)))
  return copy
}

/** A journal in which a position can have no event. */
function withHoles(journal: MemoryJournal, holes: readonly Seq[]): MemoryJournal {
  return {
    ...journal,
    head: journal.head,
    async *events(range = {}): AsyncGenerator<StoredEvent> {
      for await (const stored of journal.events(range)) if (!holes.includes(stored.seq)) yield stored
    },
  }
}

const flip = (seq: Seq): void => {
  const bytes = damaged.log[seq - 1] as Uint8Array
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1
}

/** An event that was changed by somebody who made its checksum again. */
function change(journal: MemoryJournal, seq: Seq, data: object = { bucket: 'other' }): void {
  const { event } = decodeEvent(hashing, { seq, bytes: journal.log[seq - 1] as Uint8Array })
  journal.log[seq - 1] = encodeEvent(hashing, { ...event, data: { ...event.data, ...data } } as never)
}

const source = (journal: MemoryJournal, name = 'copy'): EventSource => ({ name, journal })

const mend = (sources: readonly EventSource[], soundTo: Seq, tips: readonly Tip[] = [tip], journal = damaged) =>
  mendLog({ journal, hashing, sources, soundTo, tips })

async function logOf(journal: { events: MemoryJournal['events'] } | undefined): Promise<readonly string[]> {
  const found: string[] = []
  if (journal !== undefined) for await (const { bytes } of journal.events()) found.push(toHex(bytes))
  return found
}

describe('a damaged log', () => {
  it.each([1, 2, 7, count - 1, count])('gets event %i back from a copy', async (seq) => {
    flip(seq)
    const mended = await mend([source(whole)], seq - 1)
    expect(mended?.runs).toMatchObject([{ from: seq, to: seq, source: { name: 'copy' } }])
    expect(await logOf(mended?.journal)).toEqual(await logOf(whole))
  })

  it('gets several runs back, each from a copy that has it', async () => {
    for (const seq of [3, 4, 9]) flip(seq)
    const [first, second] = [copyOf(whole), copyOf(whole)]
    change(first, 9)
    change(second, 4)
    const mended = await mend([source(first, 'first'), source(second, 'second')], 2)
    expect(mended?.runs.map(({ from, to, source: { name } }) => [from, to, name])).toEqual([
      [3, 4, 'first'],
      [9, 9, 'second'],
    ])
    expect(await logOf(mended?.journal)).toEqual(await logOf(whole))
    const part: number[] = []
    for await (const { seq } of mended?.journal.events({ from: 4, to: 9 }) ?? []) part.push(seq)
    expect(part).toEqual([4, 5, 6, 7, 8, 9])
  })

  it('gets events back that are missing', async () => {
    const mended = await mend([source(whole)], 4, [tip], withHoles(damaged, [5, 6]))
    expect(mended?.runs).toMatchObject([{ from: 5, to: 6 }])
    expect(await logOf(mended?.journal)).toEqual(await logOf(whole))
  })

  it('gets an event back that was changed with its checksum', async () => {
    change(damaged, 5, { key: 'forged' })
    const mended = await mend([source(whole)], 4)
    expect(await logOf(mended?.journal)).toEqual(await logOf(whole))
  })

  it.each([
    { what: 'before', forged: [5], broken: [6] },
    { what: 'behind', forged: [7], broken: [6] },
    { what: 'on both sides of', forged: [5, 7], broken: [6] },
    { what: 'between two of', forged: [6], broken: [5, 7] },
    { what: 'far beside', forged: [3, 4, 5, 9, 10], broken: [6, 8] },
    { what: 'first, before', forged: [1], broken: [2] },
    { what: 'at the end, behind', forged: [count], broken: [count - 1] },
  ])('gets events back that were changed with their checksums $what what is damaged', async ({ forged, broken }) => {
    for (const seq of forged) change(damaged, seq, { key: 'forged' })
    for (const seq of broken) flip(seq)
    const mended = await mend([source(whole)], Math.min(...broken) - 1)
    expect(await logOf(mended?.journal)).toEqual(await logOf(whole))
  })

  it('is found to have no copy after few reads, if the copy is of another branch', async () => {
    flip(6)
    const branch = copyOf(whole)
    for (let seq = 4; seq <= count; seq++) change(branch, seq, { key: 'branch' })
    expect(await mend([source(branch)], 5)).toBeUndefined()
  })

  it('gets its end back if that is remembered', async () => {
    damaged.log.length = count - 3
    const mended = await mend([source(whole)], count - 3)
    expect(mended).toMatchObject({ head: count, runs: [{ from: count - 2, to: count }] })
    expect(await logOf(mended?.journal)).toEqual(await logOf(whole))
  })

  it('gets no end that nothing remembers', async () => {
    flip(count)
    expect(await mend([source(whole)], count - 1, [])).toBeUndefined()
  })

  it('takes nothing of a copy that does not fit on both sides', async () => {
    flip(6)
    const forged = copyOf(whole)
    change(forged, 6)
    const shifted = copyOf(whole)
    shifted.log[5] = shifted.log[6] as Uint8Array
    const short = copyOf(whole)
    short.log.length = 5
    expect(await mend([source(forged), source(shifted), source(short)], 5)).toBeUndefined()
    expect((await mend([source(forged), source(whole, 'whole')], 5))?.runs).toMatchObject([
      { source: { name: 'whole' } },
    ])
  })

  it('takes nothing of the log of another store', async () => {
    flip(6)
    const ports = memoryPorts()
    const store = await openEngine(ports)
    await store.buckets.create('box')
    while (store.seq < count) await store.objects.put('box', `key ${store.seq}`, 'other')
    expect(await mend([source(ports.journal)], 5)).toBeUndefined()
  })
})
