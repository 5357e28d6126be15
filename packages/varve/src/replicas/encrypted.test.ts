import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeCiphers } from '@varve/adapters'
import type { Store } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { exportStore } from '../archives/archives.ts'
import { backUpStore, inspectReplica, restoreStore, verifyReplica } from '../backups/replicas.ts'
import { createKeyring } from '../keyring/create-keyring.ts'
import { repairStore, verifyStore } from '../maintenance/closed-stores.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'

const scratch = scratchDirectory()
const newKey = (): string => Buffer.from(nodeCiphers.random(32)).toString('base64')
const key = newKey()
const keyring = createKeyring({ master: [key] })
const everyMs = 20
const text = 'a word that nobody reads '.repeat(10_000)

let home: string
let to: string
let dir: string

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  ;[to, dir] = [join(home, 'replica'), join(home, 'data')]
})

const openFirst = (more = {}): Promise<Store> =>
  openStore(dir, { keyring, replicas: [{ to, everyMs, encrypt: true }], ...more })

async function writeReplica(): Promise<void> {
  const store = await openFirst()
  await store.buckets.create('wardrobe')
  await store.objects.put('wardrobe', 'long', text)
  await store.objects.put('wardrobe', 'short', 'a word that nobody reads')
  await store.close()
}

async function filesOf(of: string): Promise<readonly Buffer[]> {
  const entries = await readdir(of, { recursive: true, withFileTypes: true })
  return Promise.all(entries.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name))))
}

const textOf = async (store: Store, name: string): Promise<string> => (await store.objects.get('wardrobe', name)).text()

describe('an encrypted replica', () => {
  it('has no word of the store in the clear', async () => {
    await writeReplica()
    const files = await filesOf(to)
    expect(files.length).toBeGreaterThan(3)
    for (const bytes of files) expect(bytes.includes('nobody') || bytes.includes('wardrobe')).toBe(false)
  })

  it('is looked at, proven and restored with the keyring alone', async () => {
    await writeReplica()
    for (const work of [() => inspectReplica(to), () => verifyReplica(to), () => restoreStore(to, join(home, 'none'))])
      await expect(work()).rejects.toMatchObject({ code: 'KeyUnavailable' })
    expect((await inspectReplica(to, { keyring })).head).toBeGreaterThan(2)
    expect(await verifyReplica(to, { keyring, blobs: 'read' })).toMatchObject({ damaged: 0, findings: [] })
    await restoreStore(to, join(home, 'again'), { keyring })
    const again = await openStore(join(home, 'again'))
    expect(await textOf(again, 'long')).toBe(text)
    expect(await textOf(again, 'short')).toBe('a word that nobody reads')
    await again.close()
  })

  it('is restored at once, and the store is opened with the keyring', async () => {
    await writeReplica()
    const there = join(home, 'again')
    await restoreStore(to, there, { keyring, instant: true })
    for (const work of [
      () => backUpStore(there, join(home, 'copy'), { keyring }),
      () => exportStore(there, join(home, 'archive.varve'), { keyring }),
    ])
      expect(await work()).toMatchObject({ blobs: 1, absent: 0 })
    expect(await verifyStore(there, { keyring })).toMatchObject({ ok: true })
    await expect(backUpStore(there, join(home, 'none'))).rejects.toMatchObject({ code: 'KeyUnavailable' })
    const store = await openStore(there, { keyring })
    expect(await textOf(store, 'long')).toBe(text)
    await store.close()
  })

  it('says of a store that is not filled that its key is missing or another one, when it is read and as a job', async () => {
    await writeReplica()
    const there = join(home, 'again')
    await restoreStore(to, there, { keyring, instant: true })
    const another = createKeyring({ master: [newKey()] })
    for (const [keys, lack] of [
      [{}, 'no keyring was given'],
      [{ keyring: another }, 'the keyring has no key of it'],
    ] as const) {
      const error = { code: 'KeyUnavailable', message: expect.stringContaining(`${lack}: give the one`) as string }
      const store = await openStore(there, keys)
      await expect(textOf(store, 'long')).rejects.toMatchObject(error)
      const failure = () => store.jobs.find(({ name }) => name === 'filling')?.lastError?.error
      await expect.poll(failure, { timeout: 15_000 }).toMatchObject(error)
      await store.close()
    }
  })

  it('heals, and mends a closed store', async () => {
    await writeReplica()
    await rm(join(dir, 'blobs'), { recursive: true })
    await mkdir(join(dir, 'blobs'))
    const store = await openFirst()
    expect(await textOf(store, 'long')).toBe(text)
    await store.close()
    await rm(join(dir, 'blobs'), { recursive: true })
    const { after } = await repairStore(dir, { from: [to], keyring })
    expect(after.divergences).toEqual([])
  })

  it('is followed with the keyring', async () => {
    await writeReplica()
    const options = { follow: { from: to, everyMs } }
    await expect(openStore(join(home, 'standby'), options)).rejects.toMatchObject({ code: 'KeyUnavailable' })
    const standby = await openStore(join(home, 'standby'), { ...options, keyring })
    expect(await textOf(standby, 'long')).toBe(text)
    await standby.promote()
    await standby.objects.put('wardrobe', 'after', text)
    await standby.close()
    for (const bytes of await filesOf(to)) expect(bytes.includes('nobody')).toBe(false)
  })

  it('goes on with a new master key beside the one that it began with, and then with the new one alone', async () => {
    await writeReplica()
    const next = newKey()
    const both = await openFirst({ keyring: createKeyring({ master: [next, key] }) })
    await expect
      .poll(() =>
        inspectReplica(to, { keyring: createKeyring({ master: [next] }) }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await both.close()
  })

  it('needs a keyring that is not lost with the store', async () => {
    for (const options of [{}, { keyring: 'own' as const }])
      await expect(openStore(dir, { replicas: [{ to, encrypt: true }], ...options })).rejects.toMatchObject({
        code: 'InvalidArgument',
        details: { ArgumentName: 'options.replicas' },
      })
  })

  it('is not made of one in the clear', async () => {
    const plain = await openStore(dir, { replicas: [{ to, everyMs }] })
    await plain.buckets.create('wardrobe')
    await plain.close()
    const failures: unknown[] = []
    const store = await openStore(dir, {
      keyring,
      replicas: [{ to, everyMs, encrypt: true, onFailure: (failure) => failures.push(failure) }],
    })
    await expect.poll(() => failures).toMatchObject([{ isTriedAgain: false, error: { code: 'InvalidArgument' } }])
    await store.close()
  })
})
