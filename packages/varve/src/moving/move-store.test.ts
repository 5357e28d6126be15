import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreDirectory } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { createKeyring, openStore, type Store, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { addressPair } from './address-place.ts'
import { directoryPlace } from './directory-place.ts'
import { moveStore } from './move-store.ts'

const scratch = scratchDirectory()
const keyring = createKeyring({ master: [Buffer.alloc(32, 'master').toString('base64')] })
const options = { keyring, retentionMs: 0 } as const
const bodies = { small: 'small', large: 'l'.repeat(1_500_000) }

async function filled(dir: string): Promise<Store> {
  const store = await openStore(dir, options)
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
  for (const [key, body] of Object.entries(bodies)) {
    await store.objects.put('box', key, body)
    await store.objects.put('box', `sealed ${key}`, body, { encryption: { mode: 'AES256' } })
  }
  return store
}

async function log(store: Store): Promise<readonly string[]> {
  const events: string[] = []
  for await (const event of store.log()) events.push(JSON.stringify(event))
  return events
}

describe('a store that is moved to another directory', () => {
  it('has the same log, the same bytes and the same uploads, in another layout', async () => {
    const [dir, other] = [scratch.next(), scratch.next()]
    const store = await filled(dir)
    const upload = await store.uploads.create('box', 'open')
    await store.uploads.uploadPart(upload, 1, bodies.large)
    const events = await log(store)
    await store.close()
    const move = { from: directoryPlace(dir), to: directoryPlace(other, { layout: 'segments+tiered' }) }
    expect(await moveStore(move)).toMatchObject({ isWhole: true, head: events.length, from: dir, to: other })
    const there = await openStore(other, options)
    expect(await log(there)).toEqual(events)
    for (const [key, body] of Object.entries(bodies))
      for (const name of [key, `sealed ${key}`])
        expect((await (await there.objects.get('box', name)).text()) === body).toBe(true)
    expect(await there.uploads.head(upload)).toMatchObject({ uploadId: upload.uploadId })
    await there.close()
    expect(await verifyStore(other)).toMatchObject({ ok: true, divergences: [] })
    await expect(openStore(dir, options)).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'departed' },
    })
    const old = await openStore(dir, { ...options, readOnly: true, retentionMs: undefined })
    expect(await log(old)).toEqual(events)
    await old.close()
  })

  it('is copied while it is in use, and moved when it is not', async () => {
    const [dir, other] = [scratch.next(), scratch.next()]
    const store = await filled(dir)
    const move = { from: directoryPlace(dir), to: directoryPlace(other) }
    expect(await moveStore(move)).toMatchObject({ isWhole: false, blobs: 2 })
    await expect(openStore(other, options)).rejects.toMatchObject({ details: { kind: 'arriving' } })
    await store.objects.put('box', 'more', bodies.large)
    await store.close()
    expect(await moveStore(move)).toMatchObject({ isWhole: true, events: 1, blobs: 1 })
    // Once more, as after an interruption at the very end.
    expect(await moveStore(move)).toMatchObject({ isWhole: true, events: 0 })
    const there = await openStore(other, options)
    expect(await (await there.objects.get('box', 'small')).text()).toBe('small')
    await there.close()
  })

  it('is opened there without reading its whole log again', async () => {
    const [dir, other] = [scratch.next(), scratch.next()]
    await (await filled(dir)).close()
    const { head } = await moveStore({ from: directoryPlace(dir), to: directoryPlace(other) })
    const directory = await openStoreDirectory(other, { create: false })
    expect(directory.sealed).toBe(true)
    expect(await directory.witness.read()).toMatchObject({ seq: head })
    await directory.close()
  })

  it('does not go to a directory with another store', async () => {
    const [dir, other] = [scratch.next(), scratch.next()]
    await (await filled(dir)).close()
    await (await filled(other)).close()
    const before = await readFile(join(other, 'FORMAT'), 'utf8')
    await expect(moveStore({ from: directoryPlace(dir), to: directoryPlace(other) })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
    expect(await readFile(join(other, 'FORMAT'), 'utf8')).toBe(before)
    await (await openStore(dir, options)).close()
    await (await openStore(other, options)).close()
  })
})

describe('two addresses', () => {
  it.each([
    ['postgres://u@h/d+s3://b', { journal: 'postgres://u@h/d', blobs: 's3://b' }],
    ['postgresql:///d?host=/a+b+file:///c', { journal: 'postgresql:///d?host=/a+b', blobs: 'file:///c' }],
    ['postgres://u@h/d+s3://b/a+s3://c', { journal: 'postgres://u@h/d', blobs: 's3://b/a+s3://c' }],
  ])('are found in %s', (text, pair) => {
    expect(addressPair(text)).toEqual(pair)
  })

  it.each(['', 'postgres://u@h/d', 's3://b', 's3://b+postgres://u@h/d', 'level+files', 'postgres://+s3://'])(
    'are not in %j',
    (text) => {
      expect(addressPair(text)).toBeUndefined()
    },
  )
})
