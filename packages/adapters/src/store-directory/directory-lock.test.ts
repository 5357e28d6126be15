import { mkdir, stat, symlink } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { isStorageError } from '@varve/core'
import { afterEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { type DirectoryLock, lockDirectory } from './directory-lock.ts'
import { type Racer, startRacers } from './lock-racers.fixture.ts'

const scratch = scratchDirectory()
const locks: DirectoryLock[] = []
const racers: Racer[] = []

afterEach(async () => {
  await Promise.all([
    ...locks.splice(0).map((lock) => lock.release()),
    ...racers.splice(0).map((racer) => racer.kill()),
  ])
})

const isLockedBySomeone = (error: unknown) =>
  isStorageError(error, 'StoreLocked') && Object.keys(error.details).length === 0

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

async function lock(path: string, platform?: string): Promise<DirectoryLock> {
  const taken = await lockDirectory(await stat(path, { bigint: true }), platform)
  locks.push(taken)
  return taken
}

async function start(count: number): Promise<Racer[]> {
  const started = await startRacers(count)
  racers.push(...started)
  return started
}

// Elsewhere processes are kept apart by LevelDB's own lock, which has its own tests.
describe.runIf(process.platform === 'linux')('the lock of a directory, between processes', () => {
  it('goes to one of eight racers, is known to the others, and is free the moment its owner is killed', async () => {
    const path = await directory()
    let contestants = await start(8)
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(contestants.map((racer) => racer.ask(path)))
      const winners = answers.filter(({ won }) => won === true)
      expect(winners).toHaveLength(1)
      const pid = winners[0]?.pid
      for (const answer of answers) {
        if (answer.won !== true) expect(answer).toEqual({ won: false, code: 'StoreLocked', pid })
      }
      await contestants.find((racer) => racer.pid === pid)?.kill()
      contestants = contestants.filter((racer) => racer.pid !== pid)
    }
    await lock(path)
  }, 60_000)

  it('holds under every spelling of the path', async () => {
    const path = await directory()
    const link = scratch.next()
    await symlink(path, link)
    const [racer] = await start(1)
    await racer?.ask(link)
    for (const spelling of [path, link, `${path}/.`, `${path}/../${path.split('/').at(-1)}`]) {
      await expect(lock(spelling)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid: racer?.pid } })
    }
  })
})

describe.each([process.platform, 'another'])('the lock of a directory, within a process (%s)', (platform) => {
  it('is given once, and again when it was released', async () => {
    const [path, other] = [await directory(), await directory()]
    const first = await lock(path, platform)
    await lock(other, platform)
    const refusal = { code: 'StoreLocked', details: { pid: process.pid } }
    await expect(lock(path, platform)).rejects.toMatchObject(refusal)
    await Promise.all([first.release(), first.release()])
    const second = await lock(path, platform)
    await first.release()
    await expect(lock(path, platform)).rejects.toMatchObject(refusal)
    await second.release()
    await lock(path, platform)
  })

  it('goes to one of many who ask at once', async () => {
    const path = await directory()
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lock(path, platform)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

// Elsewhere there is no socket to call.
describe.runIf(process.platform === 'linux')('the owner of a lock', () => {
  it.each([
    ['says nothing', () => undefined],
    ['talks nonsense', (socket: Socket) => void socket.end('varve -1\n')],
    ['talks without end', (socket: Socket) => void socket.on('error', () => undefined).write('varve '.repeat(10_000))],
  ])('keeps others out even when it %s', async (_, behave) => {
    const path = await directory()
    const { dev, ino } = await stat(path, { bigint: true })
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      behave(socket)
    })
    await new Promise<void>((resolve) => server.listen({ path: `\0varve:${dev}:${ino}` }, resolve))
    await expect(lock(path)).rejects.toSatisfy(isLockedBySomeone)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    await lock(path)
  })

  it('can let go of it while a caller will not hang up', async () => {
    const path = await directory()
    const { dev, ino } = await stat(path, { bigint: true })
    const taken = await lock(path)
    const caller = connect({ path: `\0varve:${dev}:${ino}`, allowHalfOpen: true })
    await new Promise((resolve) => caller.once('data', resolve))
    await taken.release()
    await lock(path)
    caller.destroy()
  })
})
