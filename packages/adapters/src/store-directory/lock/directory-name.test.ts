import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import { claimName } from './directory-name.ts'
import type { DirectoryLock } from './file-lock.ts'
import { openStoreDirectory } from '../open-store-directory.ts'

const scratch = scratchDirectory()
const names: DirectoryLock[] = []
const squatters: ChildProcess[] = []
let warnings: ReturnType<typeof vi.spyOn>

beforeEach(() => {
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(names.splice(0).map((name) => name.release()))
  await Promise.all(squatters.splice(0).map(end))
})

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  program.kill('SIGKILL')
  await once(program, 'exit')
}

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

async function claim(path: string): Promise<DirectoryLock> {
  const name = await claimName(await stat(path, { bigint: true }), path)
  names.push(name)
  return name
}

async function addressOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `varve:${dev}:${ino}`
}

/** A program that listens under the name, as release 0.1.0 does, and gives `pid` for its process id. */
async function squat(path: string, { uid, pid = '' }: { readonly uid?: number; readonly pid?: string } = {}) {
  const program = `require('net').createServer((s) => s.end('varve ${pid}\\n')).listen('\\0${await addressOf(path)}', () => console.log('up'))`
  const child = spawn(process.execPath, ['-e', program], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  squatters.push(child)
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  return child
}

const isRoot = process.geteuid?.() === 0

// Elsewhere there are no names.
describe.runIf(process.platform === 'linux')('the name of a directory', () => {
  it('is taken by one, and is free when it is let go of, even while a caller will not hang up', async () => {
    const path = await directory()
    const name = await claim(path)
    await expect(claim(path)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid: process.pid } })
    const caller = connect({ path: `\0${await addressOf(path)}`, allowHalfOpen: true })
    const [answer] = (await once(caller, 'data')) as [Buffer]
    expect(answer.toString()).toBe(`varve ${process.pid}\n`)
    await name.release()
    await claim(path)
    caller.destroy()
    expect(warnings).not.toHaveBeenCalled()
  })

  it('refuses a store that an earlier release has open, whatever pid that reports', async () => {
    const path = await directory()
    const { pid } = await squat(path, { pid: '1' })
    await expect(openStoreDirectory(path)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid } })
  })

  it('is free once its owner was killed', async () => {
    const path = await directory()
    const owner = await squat(path)
    await end(owner)
    await claim(path)
    expect(warnings).not.toHaveBeenCalled()
  })

  it.each([
    ['sends nonsense', (socket: Socket) => void socket.end('varve -1\n')],
    ['sends nothing', () => undefined],
  ])('is known to be held by a process that %s', async (_, behave) => {
    const path = await directory()
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      behave(socket)
    })
    const address = await addressOf(path)
    await new Promise<void>((resolve) => server.listen({ path: `\0${address}` }, resolve))
    await expect(claim(path)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid: process.pid } })
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    await claim(path)
  })

  // Only root can start programs as another user.
  describe.runIf(isRoot)('taken by another user', () => {
    it('does not lock the owner out, and causes a warning', async () => {
      const path = await directory()
      await squat(path, { uid: 65534, pid: '1' })
      const store = await openStoreDirectory(path)
      await expect(openStoreDirectory(path)).rejects.toMatchObject({ code: 'StoreLocked', details: {} })
      await store.close()
      expect(warnings).toHaveBeenCalledOnce()
      expect(warnings.mock.calls[0]?.[1]).toBe('VarveLockWarning')
    })

    it('refuses when that user owns the directory', async () => {
      const path = await directory()
      await chown(path, 65534, 65534)
      await chmod(path, 0o755)
      const { pid } = await squat(path, { uid: 65534 })
      await expect(openStoreDirectory(path)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid } })
    })
  })
})
