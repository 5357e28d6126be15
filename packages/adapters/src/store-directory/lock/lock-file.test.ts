import { spawnSync } from 'node:child_process'
import { unlinkSync } from 'node:fs'
import { chmod, chown, copyFile, link, lstat, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import type { FileLock } from './file-lock.ts'
import { levelLockName } from './level-lock.ts'
import { lockFile, lockFileName, type TryLock } from './lock-file.ts'
import { openStoreDirectory } from '../open-store-directory.ts'

const scratch = scratchDirectory()
const locks: FileLock[] = []
afterEach(() => Promise.all(locks.splice(0).map((lock) => lock.release())))

type Load = () => Promise<TryLock | undefined>

const withAddon: Load = () => import('fs-native-extensions').then(({ default: { tryLock } }) => tryLock)
const withoutAddon: Load = async () => undefined

async function lockWith(load: Load, path: string): Promise<FileLock> {
  const taken = await lockFile(path, load)
  locks.push(taken)
  return taken
}

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

describe.each([
  ['with the addon', withAddon],
  ['without the addon', withoutAddon],
])('the lock in a directory, %s', (_, load) => {
  const lock = (path: string) => lockWith(load, path)

  it('has one owner, under every path that leads to it, and is free once it is released', async () => {
    const path = await directory()
    const link = scratch.next()
    await symlink(path, link)
    const first = await lock(path)
    for (const spelling of [path, link]) await expect(lock(spelling)).rejects.toMatchObject({ code: 'StoreLocked' })
    await Promise.all([first.release(), first.release()])
    await lock(link)
  })

  it('stays with its owner when others were refused, and moves with the directory', async () => {
    const path = await directory()
    await lock(path)
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(lock(path)).rejects.toMatchObject({ code: 'StoreLocked' })
    }
    const elsewhere = scratch.next()
    await rename(path, elsewhere)
    await expect(lock(elsewhere)).rejects.toMatchObject({ code: 'StoreLocked' })
  })

  it('is a file for its owner alone, which is never removed', async () => {
    const path = await directory()
    await (await lock(path)).release()
    const { mode, ino } = await stat(join(path, lockFileName))
    expect(mode & 0o777).toBe(0o600)
    await (await lock(path)).release()
    expect((await stat(join(path, lockFileName))).ino).toBe(ino)
  })

  // Only root can give files away.
  it.runIf(process.geteuid?.() === 0)('belongs to the owner of the directory, whichever user made it', async () => {
    const path = await directory()
    await chown(path, 65534, 65534)
    await (await lock(path)).release()
    expect(await stat(join(path, lockFileName))).toMatchObject({ uid: 65534, gid: 65534 })
  })

  it('cannot be taken through a link that somebody laid in its place', async () => {
    const path = await directory()
    const victim = await directory()
    await symlink(join(victim, 'made'), join(path, lockFileName))
    await expect(lock(path)).rejects.toMatchObject({ code: 'JournalFailed' })
    await expect(stat(join(victim, 'made'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('locks out openers with and without the addon', async () => {
    const path = await directory()
    const first = await lock(path)
    for (const other of [withAddon, withoutAddon]) {
      await expect(lockWith(other, path)).rejects.toMatchObject({ code: 'StoreLocked' })
    }
    await first.release()
    for (const other of [withAddon, withoutAddon]) await (await lockWith(other, path)).release()
  })

  it('is in place until its file is removed or replaced', async () => {
    const path = await directory()
    const file = join(path, lockFileName)
    const first = await lock(path)
    expect(await first.isInPlace()).toBe(true)
    await rename(file, `${file}.kept`)
    expect(await first.isInPlace()).toBe(false)
    await symlink(`${file}.kept`, file)
    expect(await first.isInPlace()).toBe(false)
    await rm(file)
    const second = await lockWith(withAddon, path)
    expect(await first.isInPlace()).toBe(false)
    expect(await second.isInPlace()).toBe(true)
    await rename(`${file}.kept`, file)
    expect(await first.isInPlace()).toBe(true)
    expect(await second.isInPlace()).toBe(false)
  })
})

describe('the lock in a directory whose file is removed between opening and locking', () => {
  it('is taken again, on the file that is there', async () => {
    const path = await directory()
    const tryLock = (await withAddon()) as TryLock
    let removals = 2
    const load: Load = async () => (fd, options) => {
      if (removals-- > 0) unlinkSync(join(path, lockFileName))
      return tryLock(fd, options)
    }
    const first = await lockWith(load, path)
    expect(await first.isInPlace()).toBe(true)
    await expect(lockWith(withAddon, path)).rejects.toMatchObject({ code: 'StoreLocked' })
  })

  it('is not taken when that goes on', async () => {
    const path = await directory()
    const load: Load = async () => () => {
      unlinkSync(join(path, lockFileName))
      return true
    }
    await expect(lockWith(load, path)).rejects.toMatchObject({ code: 'JournalFailed' })
  })
})

describe('the lock in a directory, without the addon', () => {
  it.each([
    ['a copy', (path: string) => copyFile(join(path, lockFileName), join(path, levelLockName, 'LOCK'))],
    ['a link to another file', (path: string) => link(join(path, 'other'), join(path, levelLockName, 'LOCK'))],
  ])('is on the one file also where LevelDB has %s of it', async (_, replace) => {
    const path = await directory()
    await (await lockWith(withoutAddon, path)).release()
    await copyFile(join(path, lockFileName), join(path, 'other'))
    await rm(join(path, levelLockName, 'LOCK'))
    await replace(path)
    await lockWith(withoutAddon, path)
    const identities = await Promise.all(
      [lockFileName, join(levelLockName, 'LOCK')].map((name) => lstat(join(path, name))),
    )
    expect(identities[0]?.ino).toBe(identities[1]?.ino)
    await expect(lockWith(withAddon, path)).rejects.toMatchObject({ code: 'StoreLocked' })
  })

  it('leaves nothing behind but its files', async () => {
    const path = await directory()
    await (await lockWith(withoutAddon, path)).release()
    expect((await readdir(path)).sort()).toEqual([lockFileName, levelLockName])
    expect((await readdir(join(path, levelLockName))).filter((name) => name.startsWith('lock.'))).toEqual([])
    const store = await openStoreDirectory(path)
    await store.close()
  })
})

describe('the lock in a directory', () => {
  it('is not made in a directory that holds something else', async () => {
    const path = await directory()
    await mkdir(join(path, 'photos'))
    await chmod(path, 0o700)
    await expect(openStoreDirectory(path)).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'foreign' },
    })
    await expect(stat(join(path, lockFileName))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

/** As another container on the same volume is: no socket of ours can be reached. */
const isolated = ['--net', '--pid', '--fork']
const canIsolate = process.platform === 'linux' && spawnSync('unshare', [...isolated, 'true']).status === 0
if (!canIsolate) console.log('Not tested from other namespaces: unshare is not permitted here.')

// Only where namespaces can be made; the reason is printed above.
describe.runIf(canIsolate)('a process in other namespaces', () => {
  const program = `
    import('fs-native-extensions').then(async ({ default: { tryLock } }) => {
      const { open } = await import('node:fs/promises')
      const file = await open(process.argv[1], 'r+')
      console.log(tryLock(file.fd))
    })`
  const tryFromOutside = (path: string): string => {
    const args = [...isolated, process.execPath, '-e', program, join(path, lockFileName)]
    return spawnSync('unshare', args, { encoding: 'utf8', cwd: import.meta.dirname }).stdout.trim()
  }

  it('does not get the lock of a store that is open, and does once it is closed', async () => {
    const path = scratch.next()
    const store = await openStoreDirectory(path)
    expect(tryFromOutside(path)).toBe('false')
    await store.close()
    expect(tryFromOutside(path)).toBe('true')
  })
})
