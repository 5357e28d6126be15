import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ReadSet, StorageError } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { type LinkedStores, linkedStores, type LinkedWorker } from './linked-stores.fixture.ts'

const scratch = scratchDirectory()
const by = { id: 'alice', name: 'Alice' }
const carol = { id: 'carol', name: 'Carol' }
let stores: LinkedStores
let worker: LinkedWorker

beforeEach(async () => {
  stores = await linkedStores(scratch.next())
  worker = await stores.hire()
  await stores.store.as({ by }).buckets.create('box')
})
afterEach(() => stores.close())

/** The worker's store for Alice, who has all permissions in her own bucket. */
async function authorised() {
  let renewals = -1
  let readSet: ReadSet = []
  const renew = async () => {
    renewals++
    const tracked: ReadSet[number][] = []
    const { owner } = await worker.store.tracking(tracked).buckets.head('box')
    if (owner.id !== by.id) throw new StorageError('AccessDenied', 'No.')
    readSet = tracked
  }
  await renew()
  const store = worker.store.as({ by, authorisation: { readSet: () => readSet, renew } })
  return { store, renewals: () => renewals }
}

async function* stalled(during: () => Promise<unknown>) {
  yield Buffer.alloc(64 * 1024, 'x')
  await during()
  yield Buffer.from('the end')
}

const blobs = async () =>
  (await readdir(join(stores.dir, 'blobs'), { recursive: true, withFileTypes: true })).filter((one) => one.isFile())

describe('what a worker was authorised on', () => {
  it('is compared by the owner of the log, and nothing is left of what is refused', async () => {
    const { store } = await authorised()
    const recreated = async () => {
      await stores.store.buckets.delete('box')
      await stores.store.as({ by: carol }).buckets.create('box')
    }
    await expect(store.objects.put('box', 'k', stalled(recreated))).rejects.toMatchObject({ code: 'AccessDenied' })
    await expect(store.objects.get('box', 'k')).rejects.toMatchObject({ code: 'AccessDenied' })
    await expect(stores.store.objects.head('box', 'k')).rejects.toMatchObject({ code: 'NoSuchKey' })
    expect(await blobs()).toEqual([])
  })

  it('is renewed, and the command sent again with the bytes that were written once', async () => {
    const { store, renewals } = await authorised()
    await store.objects.put(
      'box',
      'k',
      stalled(() => stores.store.buckets.setVersioning('box', 'Enabled')),
    )
    expect(renewals()).toBe(1)
    expect(await (await store.objects.get('box', 'k')).text()).toMatch(/^x+the end$/)
    expect(await blobs()).toHaveLength(1)
  })
})
