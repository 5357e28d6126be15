/** Where the socket of a store is, who may use it, and what happens to it when its owner ends. */
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreForMaintenance } from '../store/open-directory.ts'
import { openStore } from '../store/open-store.ts'
import { findSocket, socketFiles } from '../control/socket-files.ts'
import { connected } from './connect.ts'
import { attachedStore } from './attached-store.ts'
import { startOwner } from './socket-owner.fixture.ts'

const scratch = scratchDirectory()
const modeOf = async (path: string) => (await lstat(path)).mode & 0o777

/** Connects, asks for the state and the end of the log, and lets go. */
async function reached(dir: string): Promise<number | undefined> {
  const client = await connected(dir)
  const store = client && attachedStore(client)
  let last = 0
  for await (const { seq } of store?.log() ?? []) last = seq
  await store?.close()
  return store && last
}

describe('the socket of an open store', () => {
  it('can be used by its user alone, and is removed when the store closes', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await store.buckets.create('photos')
    const { directory, socket } = socketFiles(dir)
    expect([await modeOf(directory), await modeOf(socket)]).toEqual([0o700, 0o600])
    expect(await reached(dir)).toBe(2)
    await store.close()
    expect(await readdir(dir)).not.toContain('control')
    expect(await connected(dir)).toBeUndefined()
  })

  it('is not made by a store that is read-only, open for maintenance, or told not to', async () => {
    const dir = scratch.next()
    await (await openStore(dir, { controlSocket: false })).close()
    for (const open of [
      () => openStore(dir, { controlSocket: false }),
      () => openStore(dir, { readOnly: true }),
      () => openStoreForMaintenance(dir),
    ]) {
      const store = await open()
      expect(await readdir(dir)).not.toContain('control')
      await store.close()
    }
    await expect(openStore(dir, { readOnly: true, controlSocket: true })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'options.controlSocket' },
    })
  })

  it('stays with its owner when a second one is refused', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    const others = await Promise.allSettled([openStore(dir), openStore(dir), openStoreForMaintenance(dir)])
    for (const other of others) expect(other).toMatchObject({ status: 'rejected', reason: { code: 'StoreLocked' } })
    expect(await reached(dir)).toBe(1)
    await store.close()
  })

  it('has one owner when two open at once, whoever wins', async () => {
    const dir = scratch.next()
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled([openStore(dir), openStore(dir), openStore(dir)])
      const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      expect(winners).toHaveLength(1)
      expect(await reached(dir)).toBe(1)
      await winners[0]?.close()
      expect(await readdir(dir)).not.toContain('control')
    }
  })

  it('of a killed owner is found dead, and replaced by the next', async () => {
    const dir = scratch.next()
    const kill = await startOwner(dir)
    expect(await reached(dir)).toBe(1)
    await kill()
    expect((await lstat(socketFiles(dir).socket)).isSocket()).toBe(true)
    expect(await connected(dir)).toBeUndefined()
    const store = await openStore(dir)
    expect(await reached(dir)).toBe(1)
    await store.close()
    expect(await readdir(dir)).not.toContain('control')
  })

  it('of a stopped owner is given up after a while', async () => {
    const dir = scratch.next()
    const kill = await startOwner(dir, 'SIGSTOP')
    expect(await connected(dir, undefined, 300)).toBeUndefined()
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await expect(connected(dir, stop.signal)).rejects.toThrow('enough')
    await kill()
  })

  it('is not confused with that of another store', async () => {
    const [dir, other] = [scratch.next(), scratch.next()]
    const store = await openStore(dir)
    await mkdir(join(other, 'control'), { recursive: true, mode: 0o700 })
    await writeFile(join(other, 'control', 'elsewhere'), socketFiles(dir).socket)
    expect(await findSocket(other)).toBe(socketFiles(dir).socket)
    expect(await connected(other)).toBeUndefined()
    await store.close()
  })

  it('moves with its directory, and a later owner at the old path keeps its own', async () => {
    const [dir, moved] = [scratch.next(), scratch.next()]
    const store = await openStore(dir)
    await rename(dir, moved)
    expect(await reached(moved)).toBe(1)
    const kill = await startOwner(dir)
    await store.close().catch(() => undefined)
    expect(await reached(dir)).toBe(1)
    await kill()
  })
})

describe('a path that is too long for a socket', () => {
  const long = (): string => join(scratch.next(), 'd'.repeat(60), 'é'.repeat(40))
  const addressOf = (dir: string) => readFile(socketFiles(dir).elsewhere, 'utf8')

  it('gets a short one elsewhere, named in the directory, and both are removed', async () => {
    const dir = long()
    await mkdir(dir, { recursive: true })
    const store = await openStore(dir)
    const address = await addressOf(dir)
    expect(address.startsWith(tmpdir())).toBe(true)
    expect([await modeOf(dirname(address)), await modeOf(address)]).toEqual([0o700, 0o600])
    expect(await reached(dir)).toBe(1)
    await store.close()
    await expect(stat(dirname(address))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await readdir(dir)).not.toContain('control')
  })

  it('is cleared of what a killed owner left elsewhere', async () => {
    const dir = long()
    await mkdir(dir, { recursive: true })
    const kill = await startOwner(dir)
    const left = await addressOf(dir)
    await kill()
    expect(await connected(dir)).toBeUndefined()
    const store = await openStore(dir)
    expect(await addressOf(dir)).not.toBe(left)
    await expect(stat(dirname(left))).rejects.toMatchObject({ code: 'ENOENT' })
    await store.close()
  })

  it('leaves a place alone that the file only names', async () => {
    const [dir, elsewhere] = [long(), scratch.next()]
    await (await openStore(dir, { controlSocket: false })).close()
    await mkdir(join(dir, 'control'), { mode: 0o700 })
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, 'socket'), 'a letter')
    await writeFile(join(dir, 'control', 'elsewhere'), join(elsewhere, 'socket'))
    await writeFile(join(dir, 'control', 'elsewhere-1234'), 'cut off')
    expect(await connected(dir)).toBeUndefined()
    const store = await openStore(dir)
    expect(await reached(dir)).toBe(1)
    await store.close()
    expect(await readFile(join(elsewhere, 'socket'), 'utf8')).toBe('a letter')
    expect(await readdir(dir)).not.toContain('control')
  })
})

describe('what stands in the place of the socket', () => {
  const warnings: Error[] = []
  const hear = (warning: Error): void => void warnings.push(warning)
  afterEach(() => {
    process.off('warning', hear)
    warnings.length = 0
  })

  const places: readonly (readonly [title: string, put: (dir: string) => Promise<void>])[] = [
    [
      'a file',
      async (dir) => {
        await mkdir(join(dir, 'control'), { mode: 0o700 })
        await writeFile(join(dir, 'control', 'socket'), 'a letter')
      },
    ],
    ['a file instead of the directory', (dir) => writeFile(join(dir, 'control'), 'a letter')],
    [
      'a link to another directory',
      async (dir) => {
        await mkdir(`${dir}-other`, { mode: 0o700 })
        await symlink(`${dir}-other`, join(dir, 'control'))
      },
    ],
  ]

  it.each(places)('is refused when it is %s: the store opens, with a warning', async (_title, put) => {
    process.on('warning', hear)
    const dir = scratch.next()
    await (await openStore(dir, { controlSocket: false })).close()
    await put(dir)
    const store = await openStore(dir)
    expect(await connected(dir)).toBeUndefined()
    await vi.waitFor(() => expect(warnings).toMatchObject([{ name: 'VarveControlWarning' }]), { timeout: 30_000 })
    await store.close()
    expect(await readdir(dir)).toContain('control')
  })

  it("is refused when it is another user's, and no command connects to it", async () => {
    if (process.geteuid?.() !== 0) return
    process.on('warning', hear)
    const dir = scratch.next()
    const owner = await openStore(dir)
    // As if a process of that user listened there.
    await chown(socketFiles(dir).socket, 65_534, 65_534)
    expect(await connected(dir)).toBeUndefined()
    await chown(socketFiles(dir).socket, 0, 0)
    await chmod(socketFiles(dir).directory, 0o777)
    expect(await connected(dir)).toBeUndefined()
    await owner.close()
    await mkdir(socketFiles(dir).directory, { mode: 0o700 })
    await chown(socketFiles(dir).directory, 65_534, 65_534)
    const store = await openStore(dir)
    await vi.waitFor(() => expect(warnings).toMatchObject([{ name: 'VarveControlWarning' }]), { timeout: 30_000 })
    await store.close()
  })
})
