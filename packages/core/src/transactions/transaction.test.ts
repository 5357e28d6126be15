import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { Transaction } from '../api/transaction.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.buckets.create('box')
})

const put = (key: string, body = `bytes of ${key}`) => store.objects.put('box', key, body)
const text = async (of: Pick<Store, 'objects'>, key: string) => (await of.objects.get('box', key)).text()
const keys = async (of: Pick<Store, 'objects'>, options = {}) =>
  (await list(of.objects.list('box', options))).map((entry) => ('key' in entry ? entry.key : entry.prefix))
const tags = { kind: 'tags', value: [{ key: 'a', value: '1' }] } as const
const isWhole = async () => expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
/** Fails once: the transaction is not committed. */
const failing = (run: (own: Transaction) => Promise<unknown>) =>
  store.transaction(async (own) => {
    await run(own)
    throw new Error('stop')
  })

describe('a transaction', () => {
  it('commits all of its writes at once, with one request id', async () => {
    const before = store.seq
    const commits: number[] = []
    store.subscribe((events) => commits.push(events.length))
    const answer = await store.transaction(async (own) => {
      await own.buckets.create('other')
      await own.objects.put('other', 'a', 'short')
      await own.objects.put('other', 'b', 'long enough for a blob')
      await own.objects.copy({ bucket: 'other', key: 'b' }, 'box', 'copy')
      await own.objects.delete('other', 'a')
      return 'done'
    })
    expect(answer).toBe('done')
    expect(commits).toEqual([5])
    const events = await list(store.log({ from: before + 1 }))
    expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(1)
    expect(await text(store, 'copy')).toBe('long enough for a blob')
    await isWhole()
  })

  it('changes nothing if its function throws, and keeps no bytes', async () => {
    const [before, blobs] = [store.seq, ports.blobs.bytes.size]
    await expect(
      failing(async (own) => {
        await own.objects.put('box', 'a', 'long enough for a blob')
        await own.objects.put('box', 'b', 'short')
      }),
    ).rejects.toThrow('stop')
    expect(store.seq).toBe(before)
    expect(ports.blobs.bytes.size).toBe(blobs)
    expect(await keys(store)).toEqual([])
  })

  it('reads its own writes, which other readers do not see before it commits', async () => {
    for (const key of ['a', 'b', 'c']) await put(key)
    await store.transaction(async (own) => {
      await own.objects.put('box', 'b', 'short')
      await own.objects.put('box', 'd/1', 'long enough for a blob')
      await own.objects.delete('box', 'c')
      expect(await text(own, 'b')).toBe('short')
      expect(await text(own, 'd/1')).toBe('long enough for a blob')
      expect(await codeOf(text(own, 'c'))).toBe('NoSuchKey')
      expect(await keys(own)).toEqual(['a', 'b', 'd/1'])
      expect(await keys(own, { delimiter: '/' })).toEqual(['a', 'b', 'd/'])
      expect(await text(store, 'b')).toBe('bytes of b')
      expect(await keys(store)).toEqual(['a', 'b', 'c'])
    })
    expect(await keys(store)).toEqual(['a', 'b', 'd/1'])
  })

  it('names the versions that it has added, which get other ids when it commits', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const seen = await store.transaction(async (own) => {
      const first = await own.objects.put('box', 'k', 'first')
      await own.objects.put('box', 'k', 'second')
      await own.objects.annotate('box', 'k', tags, { versionId: first.versionId })
      await own.objects.copy({ bucket: 'box', key: 'k', versionId: first.versionId }, 'box', 'copy')
      await own.objects.delete('box', 'k', { versionId: first.versionId })
      return first
    })
    expect(await text(store, 'k')).toBe('second')
    expect(await text(store, 'copy')).toBe('first')
    expect(await list(store.versions.list('box', { prefix: 'k' }))).toHaveLength(1)
    expect(await codeOf(store.objects.get('box', 'k', { versionId: seen.versionId }))).toBe('NoSuchVersion')
    await isWhole()
  })

  it('sees one state, whatever others commit meanwhile', async () => {
    await put('a', 'old')
    let calls = 0
    const read = await store.transaction(async (own) => {
      calls++
      const first = await text(own, 'a')
      await put('a', 'new')
      return [first, await text(own, 'a')]
    })
    expect(read).toEqual(['old', 'old'])
    expect(calls).toBe(1)
  })

  it('goes on after a command that is refused', async () => {
    await put('a')
    await store.transaction(async (own) => {
      expect(await codeOf(own.objects.put('box', 'a', 'x', { ifNoneMatch: '*' }))).toBe('PreconditionFailed')
      await own.objects.put('box', 'b', 'x')
    })
    expect(await text(store, 'a')).toBe('bytes of a')
    expect(await keys(store)).toEqual(['a', 'b'])
  })

  it('is committed without any writes, and changes nothing', async () => {
    const before = store.seq
    expect(await store.transaction(async (own) => keys(own))).toEqual([])
    expect(store.seq).toBe(before)
  })

  it('tells its caller the last position', async () => {
    const positions: number[] = []
    const caller = store.as({ by: { id: 'ann', name: 'Ann' }, requestId: 'r', committed: (seq) => positions.push(seq) })
    await caller.transaction(async (own) => {
      await own.objects.put('box', 'a', '1')
      await own.objects.put('box', 'b', '2')
    })
    expect(positions).toEqual([store.seq])
    const [event] = await list(store.log({ from: store.seq }))
    expect(event).toMatchObject({ by: { id: 'ann' }, requestId: 'r' })
  })

  it('is refused after its end, with its bodies', async () => {
    await put('a', 'x'.repeat(3 * 1024 * 1024))
    let late: Transaction | undefined
    const body = await store.transaction(async (own) => {
      late = own
      return own.objects.get('box', 'a')
    })
    expect(await codeOf((late as Transaction).objects.put('box', 'b', 'x'))).toBe('TransactionEnded')
    expect(await codeOf((late as Transaction).objects.get('box', 'a'))).toBe('TransactionEnded')
    expect(await codeOf(body.text())).toBe('TransactionEnded')
    expect(await keys(store)).toEqual(['a'])
  })

  it('takes 250 commands and refuses one more', async () => {
    const filled = (count: number) =>
      store.transaction(async (own) => {
        for (let i = 0; i < count; i++) await own.objects.put('box', `k${i}`, 'x')
      })
    expect(await codeOf(filled(251))).toBe('TransactionTooLarge')
    expect(await keys(store)).toEqual([])
    await filled(250)
    expect(await keys(store)).toHaveLength(250)
  })

  it('stops at its signal, and changes nothing', async () => {
    const stop = new AbortController()
    const stopped = store.transaction(
      async (own) => {
        await own.objects.put('box', 'a', 'x')
        stop.abort(new Error('enough'))
      },
      { signal: stop.signal },
    )
    await expect(stopped).rejects.toThrow('enough')
    expect(await keys(store)).toEqual([])
  })

  it('protects the bytes that it can see from erasure until its end', async () => {
    await put('a', 'long enough for a blob')
    await store.transaction(async (own) => {
      await store.objects.delete('box', 'a')
      await store.sweep()
      expect(await text(own, 'a')).toBe('long enough for a blob')
    })
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it.each([
    [undefined, {}],
    [async () => undefined, { attempts: 0 }],
    [async () => undefined, { unknown: true }],
  ])('is refused with a code if it is called wrongly', async (run, options) => {
    expect(await codeOf(store.transaction(run as never, options as never))).toBe('InvalidArgument')
  })
})

const refusedByA = (own: Transaction) => codeOf(own.objects.put('box', 'a', 'x', { ifNoneMatch: '*' }))
const putB = (own: Transaction) => own.objects.put('box', 'b', 'x')
const rolledUp = (own: Transaction) => keys(own, { delimiter: '/' })

/** What another writer does between the reads of a transaction and its commit. */
const disturbances: readonly (readonly [what: string, read: (own: Transaction) => Promise<unknown>, () => unknown])[] =
  [
    ['an object that it has read is replaced', (own) => text(own, 'a'), () => put('a', 'x')],
    [
      'an object that it has read is deleted',
      (own) => codeOf(own.objects.head('box', 'a')),
      () => store.objects.delete('box', 'a'),
    ],
    ['an object that it has missed is added', (own) => codeOf(own.objects.head('box', 'n')), () => put('n')],
    ['a key is added to a list that it has read', (own) => keys(own), () => put('between')],
    ['a common prefix of a list that it has read gets its first key', rolledUp, () => put('dir/1')],
    ['an object that refused one of its writes is deleted', refusedByA, () => store.objects.delete('box', 'a')],
    [
      'an object that it deletes is gone',
      (own) => own.objects.delete('box', 'a'),
      () => store.objects.delete('box', 'a'),
    ],
    ['the bucket that it writes to gets another state', putB, () => store.buckets.setVersioning('box', 'Enabled')],
  ]

describe('a transaction is called again if, before its commit,', () => {
  it.each(disturbances)('%s', async (_what, read, disturb) => {
    await put('a')
    let calls = 0
    await store.transaction(async (own) => {
      calls++
      await read(own)
      await own.objects.put('box', 'mine', 'x')
      if (calls === 1) await disturb()
    })
    expect(calls).toBe(2)
    await isWhole()
  })

  it('others are first each time, until its attempts are used up', async () => {
    await put('a', '0')
    let calls = 0
    const beaten = store.transaction(
      async (own) => {
        await text(own, 'a')
        await own.objects.put('box', 'mine', 'long enough for a blob')
        await put('a', String(++calls))
      },
      { attempts: 3 },
    )
    expect(await codeOf(beaten)).toBe('TransactionConflict')
    expect(calls).toBe(3)
    expect(await keys(store)).toEqual(['a'])
    expect(ports.blobs.bytes.size).toBe(0)
  })
})

describe('a transaction is not disturbed by', () => {
  it.each([
    ['writes to keys that it has not read', () => put('other')],
    ['the sweep', () => store.sweep()],
    ['a rebuild of the views', () => store.rebuild()],
  ])('%s', async (_what, meanwhile) => {
    await put('a')
    await put('dir/1')
    let calls = 0
    await store.transaction(async (own) => {
      calls++
      await text(own, 'a')
      await keys(own, { prefix: 'dir/' })
      await own.objects.put('box', 'mine', 'x')
      await meanwhile()
    })
    expect(calls).toBe(1)
    await isWhole()
  })
})

it('eight clients that each add to a counter in transactions lose no addition', async () => {
  await put('counter', '0')
  const add = () =>
    store.transaction(
      async (own) => own.objects.put('box', 'counter', String(Number(await text(own, 'counter')) + 1)),
      { attempts: 1000 },
    )
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 10; i++) await add()
    }),
  )
  expect(await text(store, 'counter')).toBe('80')
})
