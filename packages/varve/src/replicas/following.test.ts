import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { attachStore } from '../attached/attach-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import type { FollowSettings } from './follow-settings.ts'

let home: string
let to: string
const everyMs = 20
const scratch = scratchDirectory()

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  to = join(home, 'replica')
})

const primary = (): Promise<Store> => openStore(join(home, 'primary'), { replicas: [{ to, everyMs }] })
const follower = (name = 'follower', more: Partial<FollowSettings> = {}): Promise<Store> =>
  openStore(join(home, name), { follow: { from: to, everyMs, ...more } })

const jobOf = ({ jobs }: Store, kind: string) => jobs.find(({ name }) => name.startsWith(kind))
const polled = { timeout: 15_000 }
const isReplicated = (store: Store) =>
  expect.poll(() => jobOf(store, 'replication')?.progress, polled).toEqual({ position: store.seq, head: store.seq })
const hasFollowed = (store: Store, seq: number) => expect.poll(() => store.seq, polled).toBe(seq)

async function filled(): Promise<Store> {
  const store = await primary()
  await store.buckets.create('box')
  await store.objects.put('box', 'short', 'short')
  await store.objects.put('box', 'long', 'x'.repeat(100_000))
  await isReplicated(store)
  return store
}

const text = async (store: Store, key: string) => (await store.objects.get('box', key)).text()

describe('a store that follows', () => {
  it('has what the other store has, also after it was closed and opened again', async () => {
    const store = await filled()
    let following = await follower()
    expect(await text(following, 'long')).toBe('x'.repeat(100_000))
    await store.objects.put('box', 'long', 'y'.repeat(100_000))
    await hasFollowed(following, store.seq)
    expect(await text(following, 'long')).toBe('y'.repeat(100_000))
    await following.close()
    await store.objects.put('box', 'later', 'z')
    following = await follower()
    await hasFollowed(following, store.seq)
    expect(await text(following, 'later')).toBe('z')
    expect((await following.verify()).divergences).toEqual([])
    await expect.poll(() => jobOf(following, 'following')?.progress).toEqual({ position: store.seq, head: store.seq })
    await Promise.all([store.close(), following.close()])
  })

  it('refuses writes, and is refused as an ordinary store', async () => {
    const store = await filled()
    const following = await follower()
    await expect(following.objects.put('box', 'key', 'x')).rejects.toMatchObject({ code: 'ReadOnly' })
    await following.close()
    await expect(openStore(join(home, 'follower'))).rejects.toMatchObject({
      code: 'ReadOnly',
      details: { kind: 'following', peer: to },
    })
    const looking = await openStore(join(home, 'follower'), { readOnly: true })
    expect(await text(looking, 'short')).toBe('short')
    await looking.close()
    await expect(openStore(join(home, 'primary'), { follow: to })).rejects.toMatchObject({ code: 'StoreLocked' })
    await store.close()
    await expect(openStore(join(home, 'primary'), { follow: to })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })

  it('goes on serving while the replica cannot be reached, says so, and follows on', async () => {
    const store = await filled()
    await store.close()
    const failures: unknown[] = []
    const following = await follower('follower', { onFailure: ({ error }) => failures.push(error) })
    await expect.poll(() => jobOf(following, 'following')?.progress, polled).toBeDefined()
    await following.close()
    await rename(to, `${to}-away`)
    const again = await follower('follower', { onFailure: ({ error }) => failures.push(error) })
    await expect.poll(() => failures.length, polled).toBe(1)
    expect(await text(again, 'short')).toBe('short')
    expect(jobOf(again, 'following')?.lastError?.error).toMatchObject({ code: 'StoreNotFound' })
    await rename(`${to}-away`, to)
    const writing = await primary()
    await writing.objects.put('box', 'key', 'x')
    await hasFollowed(again, writing.seq)
    await Promise.all([writing.close(), again.close()])
  })

  it('is not begun from an empty replica', async () => {
    await mkdir(to)
    await expect(follower()).rejects.toMatchObject({ code: 'StoreNotFound' })
  })
})

describe('a promotion', () => {
  it('makes the store an ordinary one that writes the replica, and the other store takes no more writes', async () => {
    const store = await filled()
    let promoted = 0
    const following = await follower('follower', { onPromoted: () => promoted++ })
    await hasFollowed(following, store.seq)
    const { seq, deposed, replica } = await following.promote()
    expect({ seq, replica, promoted }).toEqual({ seq: store.seq + 1, replica: to, promoted: 1 })
    expect(deposed?.name).toContain('process')
    await following.objects.put('box', 'new', 'n')
    await isReplicated(following)
    const refused = () =>
      store.objects.put('box', 'lost', 'l').then(
        () => undefined,
        (error: { readonly code: string; readonly details: object }) => ({ code: error.code, ...error.details }),
      )
    await expect.poll(refused, polled).toMatchObject({ code: 'ReplicaHeld', kind: 'promoted' })
    await expect(following.promote()).rejects.toMatchObject({ code: 'InvalidRequest' })
    await Promise.all([store.close(), following.close()])
    // As a server that is started again with the same options.
    const again = await follower()
    await again.objects.put('box', 'more', 'm')
    await isReplicated(again)
    const second = await follower('second')
    expect(await text(second, 'more')).toBe('m')
    await Promise.all([again.close(), second.close()])
  })

  it('of a store that another process has open is one request', async () => {
    const store = await filled()
    const following = await follower()
    const attached = await attachStore(join(home, 'follower'))
    const { seq } = await attached.promote()
    await following.objects.put('box', 'new', 'n')
    expect(following.seq).toBe(seq + 1)
    await expect(attached.promote({ takeOver: true })).rejects.toMatchObject({ code: 'InvalidRequest' })
    await Promise.all([store.close(), following.close()])
  })

  it('without its replica needs no replica', async () => {
    const store = await filled()
    await store.close()
    const following = await follower()
    await rename(to, `${to}-lost`)
    await following.promote({ withoutReplica: true })
    await following.objects.put('box', 'new', 'n')
    await following.close()
  })

  it('is refused to a store that follows nothing', async () => {
    const store = await filled()
    await expect(store.promote()).rejects.toMatchObject({ code: 'InvalidRequest' })
    await expect(store.promote({ now: true } as never)).rejects.toMatchObject({ code: 'InvalidArgument' })
    await store.close()
  })
})
