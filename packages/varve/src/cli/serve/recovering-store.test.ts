import { type Store, type StoreState, StorageError } from '@varve/core'
import { describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { recoveringStore } from './recovering-store.ts'

/** A real store whose state a test can set: what a failed write does to it. */
async function breakable(): Promise<Store & { break(): void; isClosed(): boolean }> {
  const store = await memoryStore()
  let broken: StoreState | undefined
  const own = {
    isClosed: () => store.state === 'closed',
    break() {
      broken = 'failed'
    },
  }
  return new Proxy(Object.assign(store, own), {
    get(target, name) {
      if (name === 'state' && store.state === 'open' && broken !== undefined) return broken
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

const quick = { lookEveryMs: 5, retryMs: 5, retryMsMax: 20 }

describe('recoveringStore', () => {
  it('stands for the store that is open', async () => {
    const kept = await recoveringStore({ ...quick, open: breakable })
    const { store } = kept
    await store.as({ by: { id: 'ann', name: 'Ann' } }).buckets.create('photos')
    await store.objects.put('photos', 'a', 'x')
    expect(kept.current.seq).toBe(3)
    expect((await store.versions.listPage('photos')).entries).toHaveLength(1)
    expect((await store.uploads.listPage('photos')).entries).toEqual([])
    await kept.close()
    expect(store.state).toBe('closed')
  })

  it('closes a store that failed and opens it again, as often as it takes', async () => {
    const opened: Awaited<ReturnType<typeof breakable>>[] = []
    let refusals = 3
    const open = async () => {
      if (opened.length === 1 && refusals-- > 0) throw new StorageError('JournalFailed', 'The disk is full.')
      opened.push(await breakable())
      return opened[opened.length - 1] as (typeof opened)[number]
    }
    const [onFailed, onRetry, onReopened] = [vi.fn(), vi.fn(), vi.fn()]
    const kept = await recoveringStore({ ...quick, open, onFailed, onRetry, onReopened })
    opened[0]?.break()
    expect(kept.store.state).toBe('failed')
    await expect.poll(() => kept.store.state).toBe('open')
    expect(opened[0]?.isClosed()).toBe(true)
    expect(onFailed).toHaveBeenCalledTimes(1)
    expect(onRetry.mock.calls.map(([, pauseMs]) => pauseMs as number)).toEqual([5, 10, 20])
    expect(onReopened).toHaveBeenCalledWith(opened[1])
    await kept.store.buckets.create('photos')
    await kept.close()
    expect(opened[1]?.isClosed()).toBe(true)
  })

  it('keeps a store that failed for reads while there is no room to open it again', async () => {
    const first = await breakable()
    await first.buckets.create('photos')
    const open = vi.fn(async () => (open.mock.calls.length === 1 ? first : breakable()))
    let room = false
    const untilRoom = vi.fn(async () => {
      if (!room) throw new StorageError('NoSpace', 'The disk is full.')
    })
    const kept = await recoveringStore({ ...quick, open, untilRoom })
    first.break()
    await expect.poll(() => untilRoom.mock.calls.length).toBeGreaterThan(2)
    expect(await kept.store.buckets.head('photos')).toMatchObject({ name: 'photos' })
    expect(open).toHaveBeenCalledTimes(1)
    room = true
    await expect.poll(() => kept.store.state).toBe('open')
    expect(first.isClosed()).toBe(true)
    await kept.close()
  })

  it('answers reads by the failed store until another one is open beside it, and lets them end', async () => {
    const first = await breakable()
    await first.buckets.create('photos')
    let goOn = (): void => undefined
    const going = new Promise<void>((resolve) => (goOn = resolve))
    const opened = [first]
    const open = vi.fn(async () => {
      if (open.mock.calls.length === 1) return first
      await going
      opened.push(await breakable())
      return opened[1] as typeof first
    })
    const kept = await recoveringStore({ ...quick, beside: true, open })
    first.break()
    await expect.poll(() => open.mock.calls.length).toBe(2)
    expect(await kept.store.buckets.head('photos')).toMatchObject({ name: 'photos' })
    const endRead = first.owner.beginRead()
    goOn()
    await expect.poll(() => kept.store.state).toBe('open')
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(first.isClosed()).toBe(false)
    endRead()
    await expect.poll(() => first.isClosed()).toBe(true)
    await kept.close()
  })

  it('closes a failed store first if another one needs its lock', async () => {
    const first = await breakable()
    const open = vi.fn(async () => {
      if (open.mock.calls.length === 1) return first
      if (!first.isClosed()) throw new StorageError('StoreLocked', 'The cache is in use.')
      return breakable()
    })
    const kept = await recoveringStore({ ...quick, beside: true, open })
    first.break()
    await expect.poll(() => kept.store.state).toBe('open')
    expect(open).toHaveBeenCalledTimes(3)
    await kept.close()
  })

  it('is replaced by another store, which is opened in its own way from then on', async () => {
    const [first, second, third] = [await breakable(), await breakable(), await breakable()]
    const kept = await recoveringStore({ ...quick, open: async () => first })
    const listener = vi.fn()
    kept.follow(listener)
    await kept.withoutRecovery(async () => {
      first.break()
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect([kept.current, listener.mock.calls]).toEqual([first, []])
      kept.replace({ open: async () => third }, second)
    })
    expect([kept.current, kept.store.state, first.isClosed()]).toEqual([second, 'open', false])
    expect(listener).toHaveBeenCalledTimes(1)
    second.break()
    await expect.poll(() => kept.current).toBe(third)
    expect(second.isClosed()).toBe(true)
    await kept.close()
    await first.close()
  })

  it('reads from a store that failed when it was replaced, until the other one can be opened', async () => {
    const [first, second] = [await breakable(), await breakable()]
    await first.buckets.create('photos')
    const kept = await recoveringStore({ ...quick, open: async () => first })
    let isThere = false
    const open = vi.fn(async () => {
      if (!isThere) throw new StorageError('JournalFailed', 'No connection.')
      return second
    })
    await kept.withoutRecovery(async () => {
      kept.replace({ open, beside: true })
      first.break()
    })
    await expect.poll(() => open.mock.calls.length).toBeGreaterThan(1)
    expect(await kept.store.buckets.head('photos')).toMatchObject({ name: 'photos' })
    isThere = true
    await expect.poll(() => kept.current).toBe(second)
    await expect.poll(() => first.isClosed()).toBe(true)
    await kept.close()
  })

  it('gives up on damage', async () => {
    const first = await breakable()
    const open = vi.fn(async () => first)
    const kept = await recoveringStore({ ...quick, open })
    open.mockRejectedValue(new StorageError('LogCorrupt', 'Event 7 is damaged.'))
    first.break()
    await expect(kept.lost).rejects.toMatchObject({ code: 'LogCorrupt' })
    await kept.close()
    expect(open).toHaveBeenCalledTimes(2)
  })

  it('does not open again what is being closed', async () => {
    const first = await breakable()
    const open = vi.fn(async () => first)
    const kept = await recoveringStore({ ...quick, retryMs: 60_000, retryMsMax: 60_000, open })
    open.mockRejectedValue(new StorageError('StoreLocked', 'Another has it.'))
    first.break()
    await expect.poll(() => open.mock.calls.length).toBe(2)
    await kept.close()
    expect(open).toHaveBeenCalledTimes(2)
  })

  it('rejects when the store cannot be opened in the first place', async () => {
    const refused = new StorageError('StoreLocked', 'Another has it.')
    await expect(recoveringStore({ open: () => Promise.reject(refused) })).rejects.toBe(refused)
  })
})
