/** What `verify` and `rebuild` do with keyspaces. */
import { beforeEach, describe, expect, it } from 'vitest'
import { sealFrame } from '../bytes/frame.ts'
import { headerKey, placeOf, prefixOf, rowKey } from '../keyspaces/keyspace-keys.ts'
import { storedHeader } from '../keyspaces/header.ts'
import type { Reducer } from '../keyspaces/reducer.ts'
import type { RowChange } from '../ports/index.ts'
import type { VerifyOptions } from '../verify/report.ts'
import { codeOf, list } from './answers.fixture.ts'
import type { Keyspace } from './keyspaces.ts'
import { hashing, memoryJournal, memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

const open = () => openEngine(ports, { inlineMax: 64, retentionMs: 1e12 })

beforeEach(async () => {
  ports = memoryPorts()
  store = await open()
  await store.buckets.create('box')
  for (const key of ['a', 'b', 'a']) await store.objects.put('box', key, 'bytes')
})

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value)

const countVersions: Reducer = async ({ type, data }, rows) => {
  if (type !== 'VersionAdded') return
  const key = bytes(data.key)
  rows.put(key, bytes(String(Number(textOf(await rows.get(key)) ?? 0) + 1)))
}

const contents = async (keyspace: Keyspace) =>
  (await list(keyspace.range())).map(({ key, value }) => `${textOf(key)}=${textOf(value)}`).join(' ')
const counted = async (reducer: Reducer = countVersions): Promise<Keyspace> => {
  const keyspace = await store.keyspaces.open('counts', { version: 1, reducer })
  await keyspace.follow()
  return keyspace
}
const findings = async (options: VerifyOptions = { scratch: memoryJournal() }) =>
  (await store.verify(options)).divergences.map(({ kind, of }) => `${kind} ${of?.keyspace}`)
const change = (...rows: readonly RowChange[]) => ports.journal.commit({ events: [], rows })
/** The stored row of a key of the keyspace `counts`. */
const stored = (key: string, epoch = 1) => rowKey(prefixOf('counts', epoch), bytes(key))
const flipped = async (key: Uint8Array, at: number): Promise<RowChange> => {
  const frame = (await ports.journal.get(key)) as Uint8Array
  return { key, value: frame.map((byte, i) => (i === at ? byte ^ 1 : byte)) }
}

describe('a verification', () => {
  it('finds nothing wrong with keyspaces that follow the log, as far as they follow it', async () => {
    await counted()
    await store.objects.put('box', 'c', 'bytes')
    const own = await store.keyspaces.open('own', { version: 4 })
    await own.commit({ to: 2, changes: [{ key: bytes('k'), value: bytes('v') }] })
    await (await store.keyspaces.open('gone', { version: 1 })).drop()
    expect(await findings()).toEqual([])
    expect(await findings({ views: 'check' })).toEqual([])
  })

  it('counts the rows of keyspaces', async () => {
    const { rows } = await store.verify({ scratch: memoryJournal() })
    await counted()
    expect((await store.verify({ scratch: memoryJournal() })).rows).toBe(rows + 3)
    expect((await store.verify({ views: 'check' })).rows).toBe(rows + 3)
  })

  it('reports a row that its checksum does not fit, with a reducer or without', async () => {
    await counted()
    await change(await flipped(stored('a'), 5))
    expect(await findings()).toEqual(['RowCorrupt counts'])
    await store.close()
    store = await open()
    expect(await findings()).toEqual(['RowCorrupt counts'])
  })

  it('reports rows that the reducer makes otherwise, makes not, or makes and that are missing', async () => {
    await counted()
    const other = await store.keyspaces.open('counts', { version: 1 })
    const changes = [
      { key: bytes('a'), value: bytes('7') },
      { key: bytes('b'), value: null },
      { key: bytes('c'), value: bytes('1') },
    ]
    await other.commit({ to: store.seq, changes })
    expect(await findings()).toEqual(['RowDiffers counts', 'RowMissing counts', 'RowUnexpected counts'])
    expect(await findings({ views: 'check' })).toEqual([])
    await store.close()
    store = await open()
    expect(await findings()).toEqual([])
  })

  it('compares nothing with a reducer of another version', async () => {
    await counted()
    const other = await openEngine({ ...ports })
    const raised = await other.keyspaces.open('counts', { version: 2 })
    await raised.commit({ to: 3, changes: [{ key: bytes('k'), value: bytes('v') }] })
    expect(await findings()).toEqual([])
    await other.close()
  })

  it('reports a reducer that throws at an event that the keyspace has passed', async () => {
    let fails = false
    await counted(async (event, rows) => {
      if (fails && event.seq === 3) throw new Error('a mistake')
      await countVersions(event, rows)
    })
    fails = true
    const [found] = (await store.verify({ scratch: memoryJournal() })).divergences
    expect(found).toMatchObject({ kind: 'KeyspaceFailed', seq: 3, table: 'keyspace', of: { keyspace: 'counts' } })
  })

  it('reports a header that is damaged, missing, or ahead of the log', async () => {
    await counted()
    const key = headerKey('counts')
    const header = (await ports.journal.get(key)) as Uint8Array
    await change(await flipped(key, 9))
    expect(await findings()).toEqual(['KeyspaceDamaged counts'])
    await change({ key, value: null })
    expect(await findings()).toEqual(['KeyspaceDamaged counts'])
    const ahead = { version: 1, epoch: 1, cursor: store.seq + 1, state: 'ready', revision: 9 } as const
    await change({ key, value: storedHeader(hashing, 'counts', ahead).frame })
    expect(await findings()).toEqual(['KeyspaceAhead counts'])
    await change({ key, value: header })
    expect(await findings()).toEqual([])
  })

  it('compares nothing with the reducer of a keyspace that its holder dropped', async () => {
    const keyspace = await counted()
    await keyspace.drop()
    const own = await store.keyspaces.open('counts', { version: 1 })
    await own.commit({ to: 1, changes: [{ key: bytes('k'), value: bytes('v') }] })
    expect(await findings()).toEqual([])
  })

  it('reports rows from after the header, and keys that no keyspace has', async () => {
    await counted()
    const row = (await ports.journal.get(stored('a'))) as Uint8Array
    const later = stored('a', 2)
    const stray = Uint8Array.of(0xa0, 1)
    await change({ key: later, value: sealFrame(hashing, later, row) }, { key: stray, value: row })
    expect(await findings()).toEqual(['RowUnexpected undefined', 'RowUnexpected counts'])
    expect(placeOf(stray)).toBeUndefined()
  })

  it('counts rows from before an interrupted clear as leftovers, which the next opening removes', async () => {
    const keyspace = await counted()
    const { commit } = ports.journal
    ports.journal.commit = async (given) => {
      // Only the header is written.
      if (given.rows.every(({ value }) => value === null)) throw new Error('killed')
      return commit(given)
    }
    expect(await codeOf(keyspace.clear())).toBe('StoreFailed')
    ports.journal.commit = commit
    await store.close().catch(() => undefined)
    store = await open()
    const report = await store.verify({ scratch: memoryJournal() })
    expect([report.ok, report.leftovers, report.divergences[0]?.kind]).toEqual([true, 1, 'Leftover'])
    expect(await contents(await counted())).toBe('a=2 b=1')
    expect((await store.verify({ scratch: memoryJournal() })).found).toBe(0)
  })
})

describe('an opening', () => {
  it('refuses a keyspace that has passed events that the log has lost', async () => {
    await counted()
    const ahead = { version: 1, epoch: 1, cursor: store.seq + 1, state: 'ready', revision: 9 } as const
    await change({ key: headerKey('counts'), value: storedHeader(hashing, 'counts', ahead).frame })
    await expect(store.keyspaces.open('counts', { version: 1 })).rejects.toMatchObject({
      code: 'AcknowledgedWritesLost',
      details: { kind: 'keyspace', keyspace: 'counts', head: store.seq, cursor: store.seq + 1 },
    })
    await store.keyspaces.drop('counts')
    expect(await contents(await counted())).toBe('a=2 b=1')
  })
})

describe('a rebuild', () => {
  it('computes keyspaces with a reducer again, and leaves others', async () => {
    const keyspace = await counted()
    const own = await store.keyspaces.open('own', { version: 1 })
    await own.commit({ to: 1, changes: [{ key: bytes('k'), value: bytes('v') }] })
    await change(await flipped(stored('a'), 5))
    await store.rebuild()
    expect([keyspace.cursor, keyspace.state, await contents(keyspace)]).toEqual([store.seq, 'ready', 'a=2 b=1'])
    expect([own.cursor, await contents(own)]).toEqual([1, 'k=v'])
    expect(await findings()).toEqual([])
  })

  it('is not stopped by a reducer that throws: the keyspace stops, and the others are computed', async () => {
    let fails = false
    const failing = await counted(async (event, rows) => {
      if (fails && event.seq === 3) throw new Error('a mistake')
      await countVersions(event, rows)
    })
    const fine = await store.keyspaces.open('fine', { version: 1, reducer: countVersions })
    fails = true
    expect(await codeOf(store.rebuild())).toBe('KeyspaceFailed')
    expect([failing.cursor, fine.cursor, store.state]).toEqual([2, store.seq, 'open'])
  })

  it('does not touch a keyspace that another process has dropped or raised to another version', async () => {
    await counted()
    const other = await openEngine({ ...ports })
    const raised = await other.keyspaces.open('counts', { version: 2 })
    await raised.commit({ to: 1, changes: [{ key: bytes('k'), value: bytes('v') }] })
    await store.rebuild()
    expect(await contents(raised)).toBe('k=v')
    await raised.drop()
    await store.rebuild()
    expect(await store.keyspaces.list()).toEqual([])
    await other.close()
  })
})
