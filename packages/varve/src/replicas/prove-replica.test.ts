import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import type { ReplicaFailure } from './replica-settings.ts'

const scratch = scratchDirectory()
let home: string
let to: string
let damages: Pick<ReplicaFailure, 'to' | 'error'>[]

beforeEach(async () => {
  home = scratch.next()
  to = join(home, 'replica')
  damages = []
  await mkdir(home)
})

const open = (): Promise<Store> =>
  openStore(join(home, 'data'), {
    replicas: [{ to, everyMs: 20, proveEveryMs: 1000, onDamage: (damage) => damages.push(damage) }],
  })

const proofOf = ({ jobs }: Store) => jobs.find(({ name }) => name === `proof ${to}`)

describe('a replica that is proven again and again', () => {
  it('is read whole, and nobody is told if it is', async () => {
    const store = await open()
    await store.buckets.create('box')
    await store.objects.put('box', 'key', 'text '.repeat(100_000))
    await expect.poll(() => proofOf(store)?.lastRun?.endedAt, { timeout: 20_000 }).toBeDefined()
    const { lastRun } = proofOf(store) ?? {}
    await expect.poll(() => proofOf(store)?.lastRun?.endedAt, { timeout: 20_000 }).not.toEqual(lastRun?.endedAt)
    expect(damages).toEqual([])
    await store.close()
  })

  it('that lacks a blob is named', async () => {
    const first = await open()
    await first.buckets.create('box')
    await first.objects.put('box', 'key', 'text '.repeat(100_000))
    await first.close()
    for (const name of await readdir(join(to, 'blobs'))) await rm(join(to, 'blobs', name), { recursive: true })
    const store = await open()
    await expect
      .poll(() => damages, { timeout: 20_000 })
      .toMatchObject([{ to, error: { code: 'ReplicaCorrupt', details: { count: 1 } } }])
    expect(proofOf(store)?.lastError?.error).toMatchObject({ code: 'ReplicaCorrupt' })
    await store.close()
  })
})
