import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, rename, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { DirectoryLock } from './directory-lock.ts'
import { lockFile, lockFileName } from './lock-file.ts'
import { openStoreDirectory } from './open-store-directory.ts'

const scratch = scratchDirectory()
const locks: DirectoryLock[] = []
afterEach(() => Promise.all(locks.splice(0).map((lock) => lock.release())))

async function lock(path: string): Promise<DirectoryLock> {
  const taken = await lockFile(path)
  locks.push(taken)
  return taken
}

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

describe('the lock in a directory', () => {
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
  it.runIf(process.geteuid?.() === 0)('belongs to the owner of the directory, whoever made it', async () => {
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
