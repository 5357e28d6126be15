import { beforeEach, describe, expect, it } from 'vitest'
import type { Tip } from '../ports/index.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'

let ports: MemoryPorts
let tip: Tip

beforeEach(async () => {
  ports = memoryPorts()
  const store = await openEngine(ports)
  for (const name of ['one', 'two', 'three', 'four']) await store.buckets.create(name)
  tip = (await store.verify()).tip as Tip
})

const witness = { read: async () => tip, write: async () => undefined }

/** The log without one of its events, as LevelDB gives it when it skipped a record of its own log. */
const withHole = (hole: number) => ({
  ...ports.journal,
  async *events(range: { readonly from?: number; readonly to?: number } = {}) {
    for await (const stored of ports.journal.events(range)) if (stored.seq !== hole) yield stored
  },
})

describe('opening a log', () => {
  it('finds a hole before the witness when the last owner died', async () => {
    const opening = openEngine({ ...ports, journal: withHole(2), witness })
    await expect(opening).rejects.toMatchObject({ code: 'LogCorrupt', details: { seq: 2, kind: 'gap' } })
  })

  it('begins right before what the journal read back, when that is known', async () => {
    const opening = (hole: number, replayedFrom: number) =>
      openEngine({ ...ports, journal: withHole(hole), witness }, { replayedFrom })
    for (const hole of [2, 3, 4])
      await expect(opening(hole, 3)).rejects.toMatchObject({ code: 'LogCorrupt', details: { seq: hole } })
    expect((await opening(1, 3)).seq).toBe(4)
    await expect(opening(1, 1)).rejects.toMatchObject({ code: 'LogCorrupt', details: { seq: 1, kind: 'gap' } })
  })

  it('begins at the witness at the latest, whatever the journal read back', async () => {
    const opening = openEngine({ ...ports, journal: withHole(4), witness }, { replayedFrom: 9 })
    await expect(opening).rejects.toMatchObject({ code: 'LogCorrupt', details: { seq: 4 } })
  })

  it('looks only behind the witness when the journal is as it was left', async () => {
    const store = await openEngine({ ...ports, journal: withHole(2), witness }, { sealed: true })
    expect(store.seq).toBe(4)
    const hidden = openEngine({ ...ports, journal: withHole(4), witness }, { sealed: true })
    await expect(hidden).rejects.toMatchObject({ code: 'LogCorrupt', details: { seq: 4 } })
  })
})
