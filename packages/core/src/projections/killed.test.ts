/**
 * A process that ends at any commit: before it, or after it and before the answer. The log that is left is projected and
 * delivered again by the next process, without a gap and without a repeat.
 */
import { describe, expect, it } from 'vitest'
import { list } from '../api/answers.fixture.ts'
import { type MemoryJournal, memoryJournal, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { defineProjection } from '../api/projections.ts'
import type { Store } from '../api/store.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Commit } from '../ports/index.ts'

/** The sizes and the positions of the versions of each key. */
const sizes = (version: number) =>
  defineProjection<{ readonly bytes: number; readonly at: readonly number[] }>({
    name: 'sizes',
    version,
    init: () => ({ bytes: 0, at: [] }),
    key: (event) => ('key' in event.data ? event.data.key : []),
    on: {
      VersionAdded(state, { seq, data }) {
        state.bytes += data.size * version
        state.at.push(seq)
      },
      VersionRemoved: (_state, { data }) => (data.key === 'k2' ? null : undefined),
    },
  })

/** What the states are by the events alone. */
function expected(events: readonly RecordedEvent[], version: number): Record<string, unknown> {
  const states: Record<string, { bytes: number; at: number[] }> = {}
  for (const { type, seq, data } of events) {
    if (type === 'VersionRemoved' && data.key === 'k2') delete states[data.key]
    else if (type === 'VersionRemoved') states[data.key] ??= { bytes: 0, at: [] }
    if (type !== 'VersionAdded') continue
    const state = (states[data.key] ??= { bytes: 0, at: [] })
    state.bytes += data.size * version
    state.at.push(seq)
  }
  return states
}

/** Ends the process at one of the next commits: before it takes effect, or after. */
function killing(journal: MemoryJournal, at: number, isAfter: boolean): { readonly isDead: boolean } {
  const state = { isDead: false }
  const { commit } = journal
  let count = 0
  journal.commit = async (given: Commit) => {
    if (state.isDead) throw new Error('The process has ended.')
    if (++count < at) return commit(given)
    state.isDead = true
    if (isAfter) await commit(given)
    throw new Error('The process ends.')
  }
  return state
}

/** The journal as the next process finds it. */
function left({ log, rows }: MemoryJournal): MemoryJournal {
  const journal = memoryJournal()
  journal.log.push(...log)
  for (const [key, row] of rows) journal.rows.set(key, row)
  return journal
}

const options = { inlineMax: 64, retentionMs: 1e12 }

/** One process: it writes, projects and reads a subscription, until all is done or it is killed. */
async function live(store: Store, round: number, delivered: number[]): Promise<void> {
  const version = round < 5 ? 1 : 2
  await store.buckets.create('box').catch((error: unknown) => {
    if (store.state !== 'open') throw error
  })
  const projection = await store.projections.open(sizes(version))
  for (let i = 0; i < 3; i++) await store.objects.put('box', `k${(round + i) % 4}`, 'x'.repeat(i + 1))
  await store.versions.delete('box', 'k2', 'null').catch((error: unknown) => {
    if (store.state !== 'open') throw error
  })
  await projection.caughtUp()
  await readUpTo(store, await store.objects.put('box', 'k0', 'last'), delivered)
}

async function readUpTo(store: Store, { seq: end }: { readonly seq: number }, delivered: number[]): Promise<void> {
  for await (const batch of store.subscribe('reader', { filter: { types: ['VersionAdded'] }, batchMax: 2 })) {
    delivered.push(...batch.events.map(({ seq }) => seq))
    await batch.acknowledge()
    if (delivered.includes(end)) break
  }
}

async function states(store: Store, version: number): Promise<Record<string, unknown>> {
  const projection = await store.projections.open(sizes(version))
  await projection.caughtUp()
  return Object.fromEntries((await list(projection.range())).map(({ key, state }) => [key, state]))
}

describe.each([
  ['before', false],
  ['after', true],
])('a process that is killed %s a commit', (_when, isAfter) => {
  it('leaves states that count each event once, whichever commit it was', async () => {
    let ports: MemoryPorts = memoryPorts()
    const delivered: number[] = []
    let kills = 0
    for (let round = 0; round < 24; round++) {
      const death = killing(ports.journal, round + 1, isAfter)
      const living = openEngine(ports, options).then((store) => live(store, round, delivered))
      await living.catch((error: unknown) => {
        if (!death.isDead) throw error
      })
      kills += death.isDead ? 1 : 0
      ports = { ...ports, journal: left(ports.journal) }
    }
    expect(kills).toBeGreaterThan(15)
    const store = await openEngine(ports, options)
    expect(await states(store, 2)).toEqual(expected(await list(store.log()), 2))
    expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
    await readUpTo(store, await store.objects.put('box', 'k0', 'last'), delivered)
    const wanted = (await list(store.log())).filter(({ type }) => type === 'VersionAdded').map(({ seq }) => seq)
    expect([...new Set(delivered)].sort((a, b) => a - b)).toEqual(wanted)
    await store.close()
  })
})
