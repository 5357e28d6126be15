/** Transactions over the control socket, with the promises of `store.transaction`. */
import type { Store, Transaction } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { attachStore } from './attach-store.ts'
import type { AttachedStore } from './attached-store.ts'

const scratch = scratchDirectory()
let store: Store
let one: AttachedStore
let two: AttachedStore

beforeEach(async () => {
  store = await openStore(scratch.next())
  await store.buckets.create('accounts')
  for (const [key, balance] of [
    ['ann', '100'],
    ['bob', '20'],
  ] as const)
    await store.objects.put('accounts', key, balance)
  one = await attachStore(store.dir ?? '')
  two = await attachStore(store.dir ?? '')
})
afterEach(async () => {
  await one.close()
  await two.close()
  await store.close()
})

type Reader = Pick<Transaction, 'objects'>
const balance = async ({ objects }: Reader, key: string) => Number(await (await objects.get('accounts', key)).text())

const move = (of: AttachedStore, from: string, to: string, amount: number) =>
  of.transaction(async (own) => {
    const before = await balance(own, from)
    await own.objects.put('accounts', from, String(before - amount))
    await own.objects.put('accounts', to, String((await balance(own, to)) + amount))
    return before
  })

const all = async () => [await balance(store, 'ann'), await balance(store, 'bob')]

describe('a transaction of an attached store', () => {
  it('commits all of its writes under one request id, and returns the result of its function', async () => {
    expect(await move(one.as({ by: { id: 'cli', name: 'Cli' }, requestId: 'move' }), 'ann', 'bob', 30)).toBe(100)
    expect(await all()).toEqual([70, 50])
    const found: string[] = []
    for await (const { by, requestId } of store.log({ requestId: 'move' })) found.push(`${by.id} ${requestId}`)
    expect(found).toEqual(['cli move', 'cli move'])
  })

  it('is called again when others were first, so that no update is lost', async () => {
    const moves = [one, two, one, two].map((of) => move(of, 'ann', 'bob', 5))
    await Promise.all([...moves, move(two, 'bob', 'ann', 1)])
    expect(await all()).toEqual([81, 39])
  })

  it('sees one state with its own writes, which no other reader sees before the commit', async () => {
    let attempts = 0
    await one.transaction(async (own) => {
      attempts++
      await own.buckets.create('new')
      await own.objects.put('new', 'large', new Uint8Array(3 * 1024 * 1024))
      expect((await (await own.objects.get('new', 'large')).bytes()).length).toBe(3 * 1024 * 1024)
      await expect(two.objects.head('new', 'large')).rejects.toMatchObject({ code: 'NoSuchBucket' })
      if (attempts === 1) await two.objects.put('accounts', 'carl', '1')
      // A transaction that has read what others change is repeated in their state.
      const found = await own.objects.head('accounts', 'carl').catch(({ code }: { code: string }) => code)
      if (attempts === 1) expect(found).toBe('NoSuchKey')
      else expect(found).toMatchObject({ size: 1 })
    })
    expect(attempts).toBe(2)
    expect(await two.objects.head('new', 'large')).toMatchObject({ size: 3 * 1024 * 1024 })
  })

  it('changes nothing when its function throws, and throws the same', async () => {
    const { seq } = store
    const failing = one.transaction(async (own) => {
      await own.objects.put('accounts', 'ann', '0')
      throw new RangeError('not enough')
    })
    await expect(failing).rejects.toThrow(new RangeError('not enough'))
    await expect(one.transaction(5 as never)).rejects.toMatchObject({ code: 'InvalidArgument' })
    await expect(one.transaction(async () => 1, { attempts: 0 })).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect(store.seq).toBe(seq)
  })

  it('goes on after a command that is refused, and refuses more than 250 commands', async () => {
    await one.transaction(async (own) => {
      const refused = own.objects.put('accounts', 'ann', 'x', { ifNoneMatch: '*' })
      await expect(refused).rejects.toMatchObject({ code: 'PreconditionFailed' })
      await own.objects.put('accounts', 'ann', '1')
    })
    expect(await balance(store, 'ann')).toBe(1)
    const many = one.transaction(async (own) => {
      for (let i = 0; i < 251; i++) await own.objects.put('accounts', `many/${i}`, '')
    })
    await expect(many).rejects.toMatchObject({ code: 'TransactionTooLarge' })
  })

  it('throws TransactionConflict after its last attempt', async () => {
    let attempts = 0
    const conflicting = one.transaction(
      async (own) => {
        attempts++
        await balance(own, 'ann')
        await store.objects.put('accounts', 'ann', String(attempts))
        await own.objects.put('accounts', 'bob', 'x')
      },
      { attempts: 2 },
    )
    await expect(conflicting).rejects.toMatchObject({ code: 'TransactionConflict' })
    expect([attempts, await balance(store, 'bob')]).toEqual([2, 20])
  })

  it('is over after its function: later calls are refused', async () => {
    let kept: Transaction | undefined
    await one.transaction(async (own) => {
      kept = own
    })
    await expect(kept?.objects.head('accounts', 'ann')).rejects.toMatchObject({ code: 'TransactionEnded' })
    await expect(kept?.objects.put('accounts', 'ann', '0')).rejects.toMatchObject({ code: 'TransactionEnded' })
    expect(await balance(store, 'ann')).toBe(100)
  })

  it('changes nothing when its signal aborts, when its process ends, and when the owner closes the store', async () => {
    const never = new Promise<never>(() => undefined)
    const stop = new AbortController()
    const opened: Promise<void>[] = []
    const left = [
      { of: one, options: { signal: stop.signal } },
      { of: two, options: {} },
    ].map(({ of, options }) => {
      let open = (): void => undefined
      opened.push(new Promise((resolve) => (open = resolve)))
      return of.transaction(async (own) => {
        await own.objects.put('accounts', 'ann', '0')
        open()
        await Promise.race([never, rejectedBy(options.signal)])
      }, options)
    })
    left[1]?.catch(() => undefined)
    await Promise.all(opened)
    const stopped = expect(left[0]).rejects.toThrow('enough')
    stop.abort(new Error('enough'))
    await stopped
    await two.close()
    const { dir = '' } = store
    await store.close()
    store = await openStore(dir)
    expect(await all()).toEqual([100, 20])
  })
})

const rejectedBy = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
