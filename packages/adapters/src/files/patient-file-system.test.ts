import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobStore, ByteSource } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBlobDirectories } from '../blobs/create-blob-directories.ts'
import { diskBlobs } from '../blobs/disk-blobs.ts'
import { openDirectoryReplica } from '../replica/directory-replica.ts'
import { openStoreDirectory } from '../store-directory/open-store-directory.ts'
import { layouts } from '../layouts/layout.ts'
import type { FileSystem } from './file-system.ts'
import { machineFileSystem, nodeFileSystem } from './node-file-system.ts'
import { patiently, transientOfRemovals } from './patience.ts'
import { patient } from './patient-file-system.ts'
import { syncsObserved } from './observed-syncs.ts'

const codes = ['EPERM', 'EBUSY', 'EACCES']
const names = ['open', 'mkdir', 'rename', 'unlink', 'readdir', 'stat'] as const

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'varve-patient-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const fault = (code: string) => Object.assign(new Error(`${code}: busy`), { code })

/** Each call fails for the first `ms` milliseconds in which it is tried with these arguments. */
function busy(code: string, ms: number, now: () => number = () => performance.now()) {
  const since = new Map<string, number>()
  let failures = 0
  const failing =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const key = `${name} ${args.join()}`
      const first = since.get(key) ?? now()
      since.set(key, first)
      if (now() - first < ms) {
        failures++
        throw fault(code)
      }
      return call(...args)
    }
  const calls = Object.fromEntries(names.map((name) => [name, failing(name, machineFileSystem[name] as never)]))
  return { fs: { ...machineFileSystem, ...calls } as typeof nodeFileSystem, failures: () => failures }
}

const diskBlobsAt = (directory: string) => mkdir(directory).then(() => createBlobDirectories(directory))

const source = (text: string): ByteSource => ({
  async *[Symbol.asyncIterator]() {
    yield Buffer.from(text)
  },
})

async function putAndRead(blobs: BlobStore): Promise<void> {
  const id = 'ab'.repeat(16)
  await blobs.write(id, source('some bytes'))
  const handle = await blobs.open(id)
  await handle.close()
  await blobs.delete([id])
}

describe('a file system that is busy for a moment', () => {
  it.each(layouts.map(({ name }, i) => [name, codes[i % codes.length] as string] as const))(
    'is waited for, in the layout %s with %s',
    async (layout, code) => {
      const { fs, failures } = busy(code, 12)
      for (const turn of ['made', 'opened again']) {
        const store = await openStoreDirectory(join(home, 'store'), { fs, layout })
        await putAndRead(store.blobs)
        await store.markReady()
        store.markSound()
        await store.close()
        expect(failures(), turn).toBeGreaterThan(0)
      }
    },
    60_000,
  )

  it.each(codes)('is waited for by the clock of the store, with %s', async (code) => {
    let time = 0
    const now = () => time
    const pause = async (ms: number) => void (time += ms)
    const { fs, failures } = busy(code, 50, now)
    const store = await openStoreDirectory(join(home, 'store'), { fs, now, pause })
    const before = failures()
    await putAndRead(store.blobs)
    expect(failures()).toBeGreaterThan(before)
    await store.markReady()
    await store.close()
  })

  it.each(codes)('is waited for by a replica with %s', async (code) => {
    const { fs, failures } = busy(code, 12)
    await mkdir(join(home, 'replica'))
    const replica = await openDirectoryReplica(join(home, 'replica'), { fs })
    await putAndRead(replica.blobs)
    expect(await replica.files.create('log/0/1', source('events'))).toBe(true)
    await replica.files.delete(['log/0/1'])
    expect(failures()).toBeGreaterThan(0)
  })
})

describe('further attempts', () => {
  const forever = (code: string) => {
    let [time, calls] = [0, 0]
    const rename = async () => {
      calls++
      throw fault(code)
    }
    const patience = { now: () => time, pause: async (ms: number) => void (time += ms) }
    const fs = patient<FileSystem>({ ...machineFileSystem, rename }, patience)
    return { fs, passed: () => ({ time, calls }) }
  }

  it.each(codes)('outlast 50 ms and end after a bounded time, by the clock: %s', async (code) => {
    const { fs, passed } = forever(code)
    await expect(fs.rename('a', 'b')).rejects.toMatchObject({ code })
    expect(passed().time).toBeGreaterThan(50)
    expect(passed().time).toBeLessThanOrEqual(1000)
    expect(passed().calls).toBeLessThanOrEqual(10)
  })

  it.each(['EIO', 'ENOSPC', 'ENOENT', 'EEXIST', 'EROFS', 'EMFILE'])('are not made for %s', async (code) => {
    const { fs, passed } = forever(code)
    await expect(fs.rename('a', 'b')).rejects.toMatchObject({ code })
    expect(passed()).toEqual({ time: 0, calls: 1 })
  })

  it('are not made twice over, also not by what wraps a call', async () => {
    let calls = 0
    const unlink = async () => {
      calls++
      throw fault('EACCES')
    }
    const once = patient<FileSystem>({ ...machineFileSystem, unlink })
    await expect(patient(patient({ ...once })).unlink('a')).rejects.toMatchObject({ code: 'EACCES' })
    expect(calls).toBe(6)
    const open = patient<FileSystem>({ ...machineFileSystem, open: unlink })
    const observed = syncsObserved(open, 'blobs', { onSync: () => undefined, now: () => 0 })
    await expect(patient(observed).open('a', 'r')).rejects.toMatchObject({ code: 'EACCES' })
    expect(calls).toBe(12)
  })

  it('begin again for the next file of a call, within the time that a call has', async () => {
    for (const [files, isDone] of [
      [6, true],
      [60, false],
    ] as const) {
      let time = 0
      const free = Array.from({ length: files }, () => Number.POSITIVE_INFINITY)
      const rm = patiently(
        async () => {
          for (const [i, at] of free.entries()) {
            if (at === Number.POSITIVE_INFINITY) free[i] = time + 50
            if (time < (free[i] as number)) throw Object.assign(fault('EBUSY'), { message: `EBUSY: file ${i}` })
          }
        },
        { now: () => time, pause: async (ms) => void (time += ms) },
      )
      const done = rm().then(
        () => true,
        () => false,
      )
      expect(await done).toBe(isDone)
      expect(time).toBeLessThanOrEqual(1000)
    }
  })

  it('are made for a removal whose error is of what Node tried then', async () => {
    const refusals = [fault('ENOTDIR'), fault('ENOTEMPTY'), fault('EPERM')]
    const call = patiently(
      async () => {
        const refusal = refusals.shift()
        if (refusal) throw refusal
      },
      { codes: transientOfRemovals, pause: async () => undefined },
    )
    await call()
    expect(refusals).toEqual([])
  })

  it('end with the error of the last one, which says what it is', async () => {
    const refused = fault('EACCES')
    const call = patiently(() => Promise.reject(refused), { pause: async () => undefined })
    await expect(call()).rejects.toBe(refused)
    const fs = patient<FileSystem>({ ...machineFileSystem, rename: () => Promise.reject(refused) })
    await diskBlobsAt(join(home, 'blobs'))
    const blobs = await diskBlobs(join(home, 'blobs'), { fs })
    await expect(blobs.write('ab'.repeat(16), source('bytes'))).rejects.toMatchObject({
      code: 'BlobFailed',
      details: { errno: 'EACCES' },
    })
  })

  it('are never made for a sync', async () => {
    let syncs = 0
    const sync = async () => {
      syncs++
      throw fault('EACCES')
    }
    const open: FileSystem['open'] = async (...args) => Object.assign(await nodeFileSystem.open(...args), { sync })
    const fs = patient<FileSystem>({ ...machineFileSystem, open })
    const file = await fs.open(join(home, 'file'), 'wx')
    await expect(file.sync()).rejects.toMatchObject({ code: 'EACCES' })
    await file.close()
    expect(syncs).toBe(1)
    await expect(diskBlobs(join(home, 'none'), { fs })).rejects.toMatchObject({ code: 'BlobFailed' })
  })
})
