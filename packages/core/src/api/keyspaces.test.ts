/** Keyspaces over the journal in memory: rows, cursors, holders that compete, versions, and reducers. */
import { beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import { headerKey, keyspaceRange, placeOf } from '../keyspaces/keyspace-keys.ts'
import type { Reducer } from '../keyspaces/reducer.ts'
import { codeOf, list } from './answers.fixture.ts'
import type { Keyspace } from './keyspaces.ts'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForReading } from './open-engine.ts'
import type { Store } from './store.ts'
import type { KeyspaceRangeOptions } from './types/index.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64, retentionMs: 1e12 })
  await store.buckets.create('box')
  for (const key of ['a', 'b', 'a']) await store.objects.put('box', key, 'bytes')
})

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value)
const put = (key: string, value: string) => ({ key: bytes(key), value: bytes(value) })
const remove = (key: string) => ({ key: bytes(key), value: null })
const contents = async (keyspace: Keyspace, options?: KeyspaceRangeOptions) =>
  (await list(keyspace.range(options))).map(({ key, value }) => `${textOf(key)}=${textOf(value)}`).join(' ')

/** Counts the versions that were put under each key. */
const countVersions: Reducer = async ({ type, data }, rows) => {
  if (type !== 'VersionAdded') return
  const key = bytes(data.key)
  rows.put(key, bytes(String(Number(textOf(await rows.get(key)) ?? 0) + 1)))
}

/** The names and epochs of all rows of keyspaces, headers left out. */
const epochs = () =>
  [...ports.journal.rows.values()].flatMap(([key]) => {
    const place = key[0] === keyspaceRange.gte[0] ? placeOf(key) : undefined
    return place === undefined || place.epoch === 0 ? [] : [place.epoch]
  })

describe('a keyspace', () => {
  it('keeps rows and its cursor, over a reopen of the store', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    expect([keyspace.cursor, keyspace.state]).toEqual([0, 'building'])
    await keyspace.commit({ to: 2, changes: [put('k1', 'one'), put('k2', 'two')] })
    await keyspace.commit({ to: 3, changes: [put('k1', 'uno'), remove('k2'), put('', 'empty key'), put('k3', '')] })
    expect(textOf(await keyspace.get(bytes('k1')))).toBe('uno')
    expect((await keyspace.getMany([bytes('k2'), bytes('k3'), bytes('')])).map(textOf)).toEqual([
      undefined,
      '',
      'empty key',
    ])
    await store.close()
    store = await openEngine(ports)
    const again = await store.keyspaces.open('index', { version: 1 })
    expect([again.cursor, again.state, await contents(again)]).toEqual([3, 'building', '=empty key k1=uno k3='])
  })

  it('reads ranges in the order of their bytes, either way, up to a limit', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    const other = await store.keyspaces.open('index2', { version: 1 })
    await other.commit({ to: 1, changes: [put('b', 'other')] })
    await keyspace.commit({ to: 1, changes: ['c', 'a', 'b', 'ab', 'd'].map((key) => put(key, key)) })
    const range = async (options: KeyspaceRangeOptions) =>
      (await list(keyspace.range(options))).map(({ key }) => textOf(key)).join(' ')
    expect(await range({})).toBe('a ab b c d')
    expect(await range({ reverse: true })).toBe('d c b ab a')
    expect(await range({ gte: bytes('ab'), lt: bytes('d') })).toBe('ab b c')
    expect(await range({ gte: bytes('ab'), lt: bytes('d'), reverse: true, limit: 2 })).toBe('c b')
    expect(await range({ gte: bytes('d'), lt: bytes('a') })).toBe('')
    expect(await range({ limit: 0 })).toBe('')
    expect(await range({ limit: 1 })).toBe('a')
  })

  it('reads a range of more rows than a page from one state', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    const changes = Array.from({ length: 700 }, (_, i) => put(String(i).padStart(4, '0'), 'before'))
    await keyspace.commit({ to: 1, changes })
    let count = 0
    for await (const { value } of keyspace.range()) {
      if (count++ === 0) await keyspace.commit({ to: 1, changes: changes.map(({ key }) => ({ key, value: null })) })
      expect(textOf(value)).toBe('before')
    }
    expect([count, await contents(keyspace)]).toEqual([700, ''])
  })

  it('owns the bytes it was given, and gives bytes that may be changed', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    const change = put('k', 'value')
    const committing = keyspace.commit({ to: 1, changes: [change] })
    change.key.fill(0)
    change.value.fill(0)
    await committing
    for (const value of [await keyspace.get(bytes('k')), ...(await keyspace.getMany([bytes('k')]))]) value?.fill(0)
    for await (const row of keyspace.range()) row.value.fill(0)
    expect(await contents(keyspace)).toBe('k=value')
  })

  it('moves its cursor forwards, up to the end of the log', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await keyspace.commit({ to: 3, changes: [] })
    for (const to of [2, store.seq + 1]) {
      expect(await codeOf(keyspace.commit({ to, changes: [put('k', 'v')] }))).toBe('InvalidArgument')
    }
    await keyspace.commit({ to: 3, changes: [put('k', 'v')] })
    expect([keyspace.cursor, keyspace.state, await contents(keyspace)]).toEqual([3, 'building', 'k=v'])
    await keyspace.commit({ to: store.seq, changes: [] })
    await store.objects.put('box', 'c', 'bytes')
    await keyspace.commit({ to: 4, changes: [] })
    expect([keyspace.cursor, keyspace.state]).toEqual([4, 'ready'])
  })

  it('runs concurrent commits of one holder one after another', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await Promise.all([1, 2, 3].map((to) => keyspace.commit({ to, changes: [put('k', String(to))] })))
    expect([keyspace.cursor, await contents(keyspace)]).toEqual([3, 'k=3'])
  })

  it('does not appear in the log and does not hold up writes of objects', async () => {
    const { seq } = store
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await Promise.all([
      store.objects.put('box', 'x', 'bytes'),
      keyspace.commit({ to: 1, changes: [put('k', 'v')] }),
      store.objects.put('box', 'y', 'bytes'),
    ])
    expect(store.seq).toBe(seq + 2)
    expect((await store.verify()).divergences).toEqual([])
  })

  it('refuses rows that are too large, and keys and names that are none', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    const changes = [
      { key: new Uint8Array(1281), value: null },
      { key: new Uint8Array(1), value: new Uint8Array(8 * 1024 * 1024 + 1) },
    ]
    for (const change of changes) {
      expect(await codeOf(keyspace.commit({ to: 1, changes: [change] }))).toBe('InvalidArgument')
    }
    await keyspace.commit({ to: 1, changes: [{ key: new Uint8Array(1280), value: new Uint8Array(1) }] })
    for (const name of ['', 'a b', 'ü', 'a/b', 'x'.repeat(65)]) {
      expect(await codeOf(store.keyspaces.open(name, { version: 1 }))).toBe('InvalidArgument')
    }
    await store.keyspaces.open('x'.repeat(64), { version: 0 })
  })
})

describe('two holders of a keyspace', () => {
  it('do not overwrite each other: the second to commit is refused until it opens again', async () => {
    const [first, second] = [
      await store.keyspaces.open('index', { version: 1 }),
      await store.keyspaces.open('index', { version: 1 }),
    ]
    await first.commit({ to: 1, changes: [put('k', 'first')] })
    for (let i = 0; i < 2; i++) {
      expect(await codeOf(second.commit({ to: 1, changes: [put('k', 'second')] }))).toBe('KeyspaceConflict')
    }
    expect(await contents(second)).toBe('k=first')
    const again = await store.keyspaces.open('index', { version: 1 })
    await again.commit({ to: 1, changes: [put('k', 'again')] })
    expect(await codeOf(first.commit({ to: 2, changes: [] }))).toBe('KeyspaceConflict')
    expect([store.state, await contents(again)]).toEqual(['open', 'k=again'])
  })

  it('are told apart even by a commit that moves nothing', async () => {
    const first = await store.keyspaces.open('index', { version: 1 })
    const second = await store.keyspaces.open('index', { version: 1 })
    await first.commit({ to: 0, changes: [] })
    expect(await codeOf(second.commit({ to: 0, changes: [] }))).toBe('KeyspaceConflict')
  })

  it('do not read what is no longer the keyspace, after one cleared it', async () => {
    const [first, second] = [
      await store.keyspaces.open('index', { version: 1 }),
      await store.keyspaces.open('index', { version: 1 }),
    ]
    await first.clear()
    await first.commit({ to: 1, changes: [put('k', 'v')] })
    expect(await codeOf(second.get(bytes('k')))).toBe('KeyspaceConflict')
    expect(await codeOf(list(second.range()))).toBe('KeyspaceConflict')
    expect(await contents(first)).toBe('k=v')
  })

  it('of engines that share a journal have one winner', async () => {
    const other = await openEngine({ ...ports })
    const holders = [
      await store.keyspaces.open('index', { version: 1 }),
      await other.keyspaces.open('index', { version: 1 }),
    ]
    const outcomes = await Promise.allSettled(
      holders.map((one, i) => one.commit({ to: 1, changes: [put('k', `${i}`)] })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect([store.state, other.state]).toEqual(['open', 'open'])
    await other.close()
  })

  it('that open it for the first time at once share it', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => store.keyspaces.open('index', { version: 1 })))
    expect(opened.map(({ cursor }) => cursor)).toEqual([0, 0, 0])
    expect(await store.keyspaces.list()).toEqual([{ name: 'index', version: 1, cursor: 0, state: 'building' }])
  })
})

describe('clearing and dropping', () => {
  it('leave no row, and begin anew', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await keyspace.commit({ to: store.seq, changes: [put('k', 'v')] })
    await keyspace.clear()
    expect([keyspace.cursor, keyspace.state, await contents(keyspace), epochs()]).toEqual([0, 'building', '', []])
    await keyspace.commit({ to: 1, changes: [put('k', 'w')] })
    await keyspace.drop()
    expect([epochs(), await store.keyspaces.list()]).toEqual([[], []])
    for (const call of [keyspace.get(bytes('k')), keyspace.commit({ to: 1, changes: [] }), keyspace.clear()]) {
      expect(await codeOf(call)).toBe('KeyspaceConflict')
    }
    const again = await store.keyspaces.open('index', { version: 1 })
    expect([again.cursor, await contents(again)]).toEqual([0, ''])
    await again.commit({ to: 1, changes: [put('k', 'x')] })
    expect(await codeOf(keyspace.get(bytes('k')))).toBe('KeyspaceConflict')
    expect((await store.verify()).found).toBe(0)
  })

  it('by name removes a keyspace that cannot be opened, and nothing if there is none', async () => {
    await store.keyspaces.drop('none')
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await keyspace.clear()
    await keyspace.commit({ to: 1, changes: [put('k', 'v')] })
    const key = headerKey('index')
    const cutShort = Uint8Array.of(...key.subarray(0, -8), 0xff)
    const rows = [key, cutShort].map((each) => ({ key: each, value: bytes('damaged') }))
    await ports.journal.commit({ events: [], rows })
    expect(await codeOf(store.keyspaces.open('index', { version: 1 }))).toBe('RowCorrupt')
    await store.keyspaces.drop('index')
    expect([epochs(), await store.keyspaces.list()]).toEqual([[], []])
    const again = await store.keyspaces.open('index', { version: 1 })
    expect(await contents(again)).toBe('')
    await again.commit({ to: 1, changes: [] })
    expect(await codeOf(keyspace.commit({ to: 1, changes: [] }))).toBe('KeyspaceConflict')
  })

  it('does not disturb reads of the same holder', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await keyspace.commit({ to: 1, changes: [put('k', 'v')] })
    const clearing = keyspace.clear()
    const reads = Array.from({ length: 20 }, async () => textOf(await keyspace.get(bytes('k'))))
    for (const value of await Promise.all(reads)) expect([undefined, 'v']).toContain(value)
    await clearing
  })
})

describe('the version of a keyspace', () => {
  it('that is higher than the stored one begins it again', async () => {
    const old = await store.keyspaces.open('index', { version: 1 })
    await old.commit({ to: store.seq, changes: [put('k', 'v')] })
    const next = await store.keyspaces.open('index', { version: 3 })
    expect([next.version, next.cursor, next.state, await contents(next), epochs()]).toEqual([3, 0, 'building', '', []])
    expect(await codeOf(old.get(bytes('k')))).toBe('KeyspaceConflict')
  })

  it('that is lower than the stored one is refused, and changes nothing', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 3 })
    await keyspace.commit({ to: 1, changes: [put('k', 'v')] })
    await expect(store.keyspaces.open('index', { version: 2 })).rejects.toMatchObject({
      code: 'UnsupportedFormat',
      details: { kind: 'keyspace', version: 3 },
    })
    expect(await contents(keyspace)).toBe('k=v')
  })
})

describe('a reducer', () => {
  it('computes the rows up to the end of the log, and continues there', async () => {
    const keyspace = await store.keyspaces.open('counts', { version: 1, reducer: countVersions })
    expect(await keyspace.follow()).toBe(store.seq)
    expect([keyspace.state, await contents(keyspace)]).toEqual(['ready', 'a=2 b=1'])
    await store.objects.put('box', 'b', 'bytes')
    expect(await keyspace.follow()).toBe(store.seq)
    expect([await keyspace.follow(), await contents(keyspace)]).toEqual([store.seq, 'a=2 b=2'])
  })

  it('sees its own changes, and those of earlier events of the group', async () => {
    const keyspace = await store.keyspaces.open('last', {
      version: 1,
      async reducer({ seq }, rows) {
        const last = await rows.get(bytes('last'))
        if (last !== undefined) last.fill(0x39)
        rows.put(bytes('last'), bytes(`${seq}`))
        rows.put(bytes('gone'), bytes('soon'))
        rows.delete(bytes('gone'))
        expect([textOf(await rows.get(bytes('last'))), await rows.get(bytes('gone'))]).toEqual([`${seq}`, undefined])
      },
    })
    await keyspace.follow()
    expect(await contents(keyspace)).toBe(`last=${store.seq}`)
  })

  it('that throws stops the keyspace before that event, keeps what came before, and leaves the store alone', async () => {
    let fails = true
    const reducer: Reducer = async (event, rows) => {
      await countVersions(event, rows)
      if (event.seq === 3 && fails) throw new Error('a mistake')
    }
    const keyspace = await store.keyspaces.open('counts', { version: 1, reducer })
    for (let i = 0; i < 2; i++) {
      await expect(keyspace.follow()).rejects.toMatchObject({
        code: 'KeyspaceFailed',
        details: { keyspace: 'counts', seq: 3 },
        cause: new Error('a mistake'),
      })
      expect([keyspace.cursor, keyspace.state, await contents(keyspace)]).toEqual([2, 'building', 'a=1'])
    }
    await store.objects.put('box', 'c', 'bytes')
    fails = false
    await keyspace.follow()
    expect([store.state, await contents(keyspace)]).toEqual(['open', 'a=2 b=1 c=1'])
  })

  it('that uses its rows after it has ended changes nothing', async () => {
    const late: unknown[] = []
    const keyspace = await store.keyspaces.open('counts', {
      version: 1,
      reducer(_, rows) {
        void Promise.resolve()
          .then(() => new Promise((resolve) => setImmediate(resolve)))
          .then(() => rows.put(bytes('late'), bytes('v')))
          .catch((error: unknown) => late.push(error))
      },
    })
    await keyspace.follow()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([late.length, late[0] instanceof TypeError, await contents(keyspace)]).toEqual([store.seq, true, ''])
  })

  it('that puts what is no row fails like one that throws', async () => {
    const reducer = ((_, rows) => rows.put('k' as unknown as Uint8Array, bytes('v'))) as Reducer
    const keyspace = await store.keyspaces.open('counts', { version: 1, reducer })
    await expect(keyspace.follow()).rejects.toMatchObject({
      code: 'KeyspaceFailed',
      cause: { code: 'InvalidArgument' },
    })
  })

  it('does not hide a failed read, whatever it does with the error', async () => {
    const { get } = ports.journal
    const reducer: Reducer = async (_, rows) => {
      await rows.get(bytes('k')).catch(() => undefined)
      rows.put(bytes('k'), bytes('from nothing'))
    }
    const keyspace = await store.keyspaces.open('counts', { version: 1, reducer })
    ports.journal.get = () => Promise.reject(new StorageError('JournalFailed', 'unreadable'))
    expect(await codeOf(keyspace.follow())).toBe('JournalFailed')
    ports.journal.get = get
    expect([keyspace.cursor, await contents(keyspace)]).toEqual([0, ''])
  })

  it('that never answers can be aborted, and does not keep the store from closing', async () => {
    const keyspace = await store.keyspaces.open('counts', { version: 1, reducer: () => new Promise(() => undefined) })
    const controller = new AbortController()
    const following = keyspace.follow({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(following).rejects.toThrow('enough')
    const again = keyspace.follow()
    await Promise.all([expect(again).rejects.toMatchObject({ code: 'StoreClosed' }), store.close()])
  })

  it('is required to follow the log', async () => {
    const keyspace = await store.keyspaces.open('counts', { version: 1 })
    expect(await codeOf(keyspace.follow())).toBe('InvalidRequest')
  })

  it('of another holder ends the follow of this one', async () => {
    const [first, second] = [
      await store.keyspaces.open('counts', { version: 1, reducer: countVersions }),
      await store.keyspaces.open('counts', { version: 1, reducer: countVersions }),
    ]
    await first.follow()
    expect(await codeOf(second.follow())).toBe('KeyspaceConflict')
    expect(await contents(first)).toBe('a=2 b=1')
  })
})

describe('a store that is read-only, closed or failed', () => {
  it('shows the keyspaces that there are, and changes none', async () => {
    const reducer = countVersions
    await (await store.keyspaces.open('counts', { version: 1, reducer })).follow()
    await store.close()
    const reading = await openForReading(ports)
    const keyspace = await reading.keyspaces.open('counts', { version: 1, reducer })
    expect([keyspace.cursor, await contents(keyspace)]).toEqual([reading.seq, 'a=2 b=1'])
    const { commits } = ports.journal
    for (const call of [
      () => keyspace.commit({ to: reading.seq, changes: [put('k', 'v')] }),
      () => keyspace.follow(),
      () => keyspace.clear(),
      () => keyspace.drop(),
      () => reading.keyspaces.drop('counts'),
      () => reading.keyspaces.open('none', { version: 1 }),
      () => reading.keyspaces.open('counts', { version: 2 }),
    ]) {
      expect(await codeOf(call())).toBe('ReadOnly')
    }
    expect(ports.journal.commits).toBe(commits)
    await reading.close()
  })

  it('refuses every call once it is closed', async () => {
    const keyspace = await store.keyspaces.open('counts', { version: 1, reducer: countVersions })
    await store.close()
    for (const call of [
      () => keyspace.get(bytes('k')),
      () => list(keyspace.range()),
      () => keyspace.commit({ to: 1, changes: [] }),
      () => keyspace.follow(),
      () => store.keyspaces.list(),
      () => store.keyspaces.open('counts', { version: 1 }),
    ]) {
      expect(await codeOf(call())).toBe('StoreClosed')
    }
  })

  it('takes no more writes once the outcome of a commit to a keyspace is unknown', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    ports.journal.commit = () => Promise.reject(new StorageError('JournalFailed', 'no answer'))
    expect(await codeOf(keyspace.commit({ to: 1, changes: [put('k', 'v')] }))).toBe('StoreFailed')
    expect(store.state).toBe('failed')
    expect(await codeOf(keyspace.commit({ to: 1, changes: [put('k', 'v')] }))).toBe('StoreFailed')
  })
})

describe('damage', () => {
  it('of a row is reported when the row is read, and never given', async () => {
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    await keyspace.commit({ to: 1, changes: [put('k', 'v'), put('l', 'w')] })
    const row = [...ports.journal.rows.values()].find(([key]) => placeOf(key)?.key[0] === 0x6b)
    const [key, frame] = row as [Uint8Array, Uint8Array]
    await ports.journal.commit({
      events: [],
      rows: [{ key, value: frame.map((byte, i) => (i === 5 ? byte ^ 1 : byte)) }],
    })
    expect(await codeOf(keyspace.get(bytes('k')))).toBe('RowCorrupt')
    expect(await codeOf(list(keyspace.range()))).toBe('RowCorrupt')
    expect(textOf(await keyspace.get(bytes('l')))).toBe('w')
  })
})
