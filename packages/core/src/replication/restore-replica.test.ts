import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { journalSource } from '../repair/log-source.ts'
import { restoreReplica } from './restore-replica.ts'

let ports: MemoryPorts
let store: Store
let into: MemoryPorts

beforeEach(async () => {
  ;[ports, into] = [memoryPorts(), memoryPorts()]
  store = await openEngine(ports)
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.objects.put('box', 'key', 'first')
})

interface Call {
  readonly from?: MemoryPorts
  /** The last event, where a moment is asked for. */
  readonly at?: number
  /** Where the process is killed. */
  readonly killed?: 'before the epoch' | 'after the epoch'
}

async function restore({ from = ports, at, killed }: Call = {}) {
  const journal = { ...into.journal }
  journal.commit = async (commit) => {
    if (killed === 'before the epoch' && commit.events.length === 1) throw new Error('killed')
    await into.journal.commit(commit)
  }
  const begun: number[] = []
  const report = await restoreReplica({
    name: 'the attic',
    reader: journalSource(from),
    into: {
      name: 'here',
      journal,
      blobs: into.blobs,
      ...(killed === 'after the epoch' && { markReady: () => Promise.reject(new Error('killed')) }),
    },
    hashing,
    ids: into.ids,
    to: at ?? (await from.journal.head()),
    toEnd: at === undefined,
    now: 0,
    onBegun: async (to) => void begun.push(to),
  })
  return { ...report, begun }
}

const invalid = (ArgumentName: string) => ({ code: 'InvalidArgument', details: { ArgumentName } })
async function epochsOf(of: Store): Promise<number> {
  let epochs = 0
  for await (const { type } of of.log()) if (type === 'EpochBegun') epochs++
  return epochs
}

describe('a restore that was killed after it had begun its epoch', () => {
  it('is finished where it ended, though its source has grown', async () => {
    const to = store.seq
    await expect(restore({ killed: 'after the epoch' })).rejects.toThrow('killed')
    await store.objects.put('box', 'key', 'second')
    await store.objects.put('box', 'key', 'third')
    expect(await restore()).toMatchObject({ events: 0, head: to + 1, begun: [to] })
    const there = await openEngine(into)
    expect(there.seq).toBe(to + 1)
    expect(await (await there.objects.get('box', 'key')).text()).toBe('first')
    expect((await there.verify()).divergences).toEqual([])
  })

  it('is finished at its moment, and is not taken for a restore to another one', async () => {
    const at = store.seq
    await expect(restore({ at, killed: 'after the epoch' })).rejects.toThrow('killed')
    await store.objects.put('box', 'key', 'second')
    await expect(restore()).rejects.toMatchObject(invalid('at'))
    await expect(restore({ at: at + 1 })).rejects.toMatchObject(invalid('at'))
    await expect(restore({ at: at - 1 })).rejects.toMatchObject(invalid('at'))
    expect(await restore({ at })).toMatchObject({ events: 0, head: at + 1 })
  })

  it('is not taken for a restore to a later moment, if it was to end where its source did', async () => {
    const to = store.seq
    await expect(restore({ killed: 'after the epoch' })).rejects.toThrow('killed')
    await store.objects.put('box', 'key', 'second')
    await expect(restore({ at: to + 1 })).rejects.toMatchObject(invalid('at'))
    expect(await restore({ at: to })).toMatchObject({ head: to + 1 })
  })

  it('is not finished as one of another store', async () => {
    await expect(restore({ killed: 'after the epoch' })).rejects.toThrow('killed')
    const from = memoryPorts()
    const other = await openEngine(from)
    for (const name of ['one', 'two', 'three', 'four']) await other.buckets.create(name)
    await expect(restore({ from })).rejects.toMatchObject(invalid('to'))
    await expect(restore({ from, at: store.seq })).rejects.toMatchObject(invalid('to'))
    await expect(openEngine(into)).rejects.toMatchObject({ details: { kind: 'arriving' } })
  })
})

describe('a restore that was killed before it had begun its epoch', () => {
  it('goes on to the end that its source has now', async () => {
    await expect(restore({ killed: 'before the epoch' })).rejects.toThrow('killed')
    await store.objects.put('box', 'key', 'second')
    expect(await restore()).toMatchObject({ events: 1, head: store.seq + 1 })
  })

  it('begins an epoch of its own, also behind one of its source', async () => {
    await restore()
    const from = into
    const again = await openEngine(from)
    into = memoryPorts()
    await expect(restore({ from, killed: 'before the epoch' })).rejects.toThrow('killed')
    expect(await into.journal.head()).toBe(again.seq)
    await expect(restore({ from, at: again.seq - 1 })).rejects.toMatchObject(invalid('at'))
    expect(await restore({ from })).toMatchObject({ head: again.seq + 1 })
    expect(await epochsOf(await openEngine(into))).toBe((await epochsOf(again)) + 1)
  })
})
