import type { Commit, Row, RowRange, StoredEvent } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { journalGate } from '../journal-kit/journal-gate.ts'
import type { HeldState, RowState } from './row-state.ts'
import { type StateDatabase, stateJournal } from './state-journal.ts'

/** What outlives a closed database: states that are never changed, only succeeded. */
interface Medium {
  rows: readonly Row[]
  events: readonly Uint8Array[]
}

const copied = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes)

const stateOf = (rows: () => readonly Row[]): RowState => ({
  get: (key) => rows().find(([each]) => Buffer.compare(each, key) === 0)?.[1],
  rows({ gte, lt, reverse = false }: RowRange, count) {
    const within = rows().filter(([key]) => Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0)
    return (reverse ? within.toReversed() : within).slice(0, count)
  },
})

function succeed(medium: Medium, { events, rows }: Commit): void {
  const byKey = new Map(medium.rows.map((row) => [Buffer.from(row[0]).toString('latin1'), row]))
  for (const { key, value } of rows) {
    const name = Buffer.from(key).toString('latin1')
    if (value === null) byKey.delete(name)
    else byKey.set(name, [copied(key), copied(value)])
  }
  medium.rows = [...byKey.values()].sort(([a], [b]) => Buffer.compare(a, b))
  medium.events = [...medium.events, ...events.map(copied)]
}

class MemoryStates implements StateDatabase {
  readonly newest: RowState
  readonly #medium: Medium
  readonly #pause: () => Promise<void>
  keeping = 0

  constructor(medium: Medium, pause: () => Promise<void>) {
    this.#medium = medium
    this.#pause = pause
    this.newest = stateOf(() => medium.rows)
  }

  keep(): HeldState {
    const { rows } = this.#medium
    this.keeping++
    return { ...stateOf(() => rows), release: () => void this.keeping-- }
  }

  events(from: number, to: number): readonly StoredEvent[] {
    const all = this.#medium.events.map((bytes, i) => ({ seq: i + 1, bytes }))
    return all.filter(({ seq }) => seq >= from && seq <= to).slice(0, 700)
  }

  head(): number {
    return this.#medium.events.length
  }

  async write(commits: readonly Commit[]): Promise<void> {
    await this.#pause()
    for (const commit of commits) succeed(this.#medium, commit)
    await this.#pause()
  }

  async close(): Promise<void> {
    expect(this.keeping).toBe(0)
  }
}

const paces: Readonly<Record<string, () => Promise<void>>> = {
  'at once': async () => undefined,
  'after a while': () => new Promise((resolve) => setImmediate(resolve)),
}

describe.each(Object.entries(paces))('a journal over a database that writes %s', (_, pause) => {
  const openFresh = async () => {
    const medium: Medium = { rows: [], events: [] }
    const reopen = () => stateJournal(new MemoryStates(medium, pause), journalGate())
    return { instance: await reopen(), reopen }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))

  it('keeps a state once for all its readers, from the next commit until the last one closes', async () => {
    const db = new MemoryStates({ rows: [], events: [] }, pause)
    const journal = await stateJournal(db, journalGate())
    const everything = { gte: Uint8Array.of(), lt: Uint8Array.of(0xff) }
    const commit = () => journal.commit({ expectedHead: 0, events: [], rows: [{ key: Uint8Array.of(1), value: null }] })
    await journal.cursor(everything).close()
    await commit()
    const held = [await journal.snapshot(), await journal.snapshot(), journal.cursor(everything)]
    expect(db.keeping).toBe(0)
    await commit()
    await commit()
    expect(db.keeping).toBe(1)
    const later = await journal.snapshot()
    await commit()
    expect(db.keeping).toBe(2)
    for (const each of held) await each.close()
    expect(db.keeping).toBe(1)
    await Promise.all([later.close(), later.close()])
    expect(db.keeping).toBe(0)
    await journal.close()
  })

  it('holds what was before a commit, or what is after it, when it begins in between', async () => {
    const journal = await stateJournal(new MemoryStates({ rows: [], events: [] }, pause), journalGate())
    const key = Uint8Array.of(1)
    for (let i = 0; i < 20; i++) {
      const committing = journal.commit({ expectedHead: 0, events: [], rows: [{ key, value: Uint8Array.of(i) }] })
      for (let turns = i % 5; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
      const snapshot = await journal.snapshot()
      const before = await snapshot.get(key)
      await committing
      expect([i - 1, i]).toContain(before?.[0] ?? -1)
      expect(await snapshot.get(key)).toEqual(before)
      await snapshot.close()
    }
    await journal.close()
  })
})

it('a journal has the events of every state that a snapshot shows, also before the commit is answered', async () => {
  const medium: Medium = { rows: [], events: [] }
  let answer: () => void = () => undefined
  const waiting = [Promise.resolve(), new Promise<void>((resolve) => (answer = resolve))]
  const db = new MemoryStates(medium, async () => waiting.shift())
  const journal = await stateJournal(db, journalGate())
  const key = Uint8Array.of(1)
  const committing = journal.commit({ expectedHead: 0, events: [key], rows: [{ key, value: key }] })
  while (medium.events.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const snapshot = await journal.snapshot()
  expect(await snapshot.get(key)).toEqual(key)
  const seen: number[] = []
  for await (const { seq } of journal.events({ from: 1, to: 1 })) seen.push(seq)
  expect(seen).toEqual([1])
  answer()
  await committing
  await snapshot.close()
  await journal.close()
})
