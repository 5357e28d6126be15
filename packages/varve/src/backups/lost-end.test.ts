import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { varve } from '../cli/run-main.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { inspectReplica, restoreStore, verifyReplica } from './replicas.ts'

let home: string
let to: string
const scratch = scratchDirectory()

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  to = join(home, 'replica')
})

const jobOf = ({ jobs }: Store) => jobs.find(({ name }) => name.startsWith('replication'))

const isWhole = (store: Store) =>
  expect
    .poll(() => [jobOf(store)?.progress, { position: store.seq, head: store.seq }], { timeout: 30_000 })
    .toSatisfy(([progress, end]) => JSON.stringify(progress) === JSON.stringify(end))

const open = () => openStore(join(home, 'one'), { replicas: [{ to, everyMs: 20 }] })

/** Writes files of the replica, fewer than are joined into one. Resolves with the last event. */
async function written(): Promise<number> {
  const store = await open()
  await store.buckets.create('box')
  for (let n = 0; n < 2; n++) {
    await isWhole(store)
    await store.objects.put('box', `key${n}`, `${n}`)
    await store.objects.put('box', `key${n} again`, `${n}`)
  }
  await isWhole(store)
  await store.close()
  return store.seq
}

async function loseLast(): Promise<void> {
  const names = (await readdir(join(to, 'replica'))).filter((name) => name.startsWith('log.')).sort()
  const [last] = names.toSorted((a, b) => b.split('.')[2]?.localeCompare(a.split('.')[2] ?? '') ?? 0)
  await rm(join(to, 'replica', last as string))
}

describe('a replica that has lost its last file of events', () => {
  it('is refused with the number of lost events by all that reads it to its end', async () => {
    const seq = await written()
    await loseLast()
    const { head, lost } = await inspectReplica(to)
    expect(lost).toBeGreaterThan(0)
    expect(head + lost).toBe(seq)
    const error = { code: 'ReplicaCorrupt', details: { kind: 'end', head, lost, counted: seq } }
    await expect(verifyReplica(to)).rejects.toMatchObject(error)
    await expect(openStore(join(home, 'standby'), { follow: to })).rejects.toMatchObject(error)
    for (const instant of [false, true]) {
      const dir = join(home, `again ${instant}`)
      for (let call = 0; call < 2; call++) await expect(restoreStore(to, dir, { instant })).rejects.toMatchObject(error)
      await expect(restoreStore(to, dir, { instant, at: new Date() })).rejects.toMatchObject(error)
      expect(await restoreStore(to, dir, { instant, at: head })).toMatchObject({ head: head + 1, lost: 0 })
    }
  })

  it('is refused by the commands', async () => {
    await written()
    await loseLast()
    const { lost } = await inspectReplica(to)
    const events = lost === 1 ? 'its last event' : `its last ${lost} events`
    const refused = { status: 5, stderr: expect.stringContaining(events) as string }
    expect(await varve(['restore-store', to, join(home, 'again')])).toMatchObject(refused)
    expect(await varve(['restore-store', to, join(home, 'again')])).toMatchObject(refused)
    expect(await varve(['restore-store', to, join(home, 'at once'), '--instant'])).toMatchObject(refused)
    expect(await varve(['backups', 'verify', to])).toMatchObject(refused)
    expect(await varve(['backups', to])).toMatchObject({
      status: 4,
      stdout: expect.stringContaining(`It has lost ${lost} later events`) as string,
    })
  })

  it('is whole again when the store has written it again', async () => {
    const seq = await written()
    await loseLast()
    const store = await open()
    await isWhole(store)
    await store.close()
    expect(await inspectReplica(to)).toMatchObject({ head: seq, lost: 0 })
    expect(await restoreStore(to, join(home, 'again'))).toMatchObject({ lost: 0 })
  })
})

it('a replica that is copied while it is written has lost nothing', async () => {
  const store = await open()
  await store.buckets.create('box')
  const state = { ended: false }
  const writing = (async () => {
    for (let n = 0; !state.ended; n++) await store.objects.put('box', `key${n % 10}`, `${n}`)
  })()
  const copies: string[] = []
  for (let n = 0; n < 5; n++) {
    const { seq } = store
    await expect.poll(() => jobOf(store)?.progress?.position, { timeout: 30_000 }).toBeGreaterThan(seq)
    const copy = join(home, `copy ${n}`)
    await mkdir(copy)
    const names = await readdir(join(to, 'replica'))
    // Files that are joined meanwhile are gone from the copy, which can be a gap.
    for (const name of ['blobs', 'tmp']) await mkdir(join(copy, name))
    const copied = names.map((name) => cp(join(to, 'replica', name), join(copy, 'replica', name)))
    if ((await Promise.allSettled(copied)).every(({ status }) => status === 'fulfilled')) copies.push(copy)
  }
  state.ended = true
  await writing
  await store.close()
  for (const copy of copies) expect(await verifyReplica(copy, { blobs: 'skip' })).toMatchObject({ damaged: 0 })
})
