import { mkdir, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import type { DirectoryLock } from './file-lock.ts'
import { lockInProcess } from './process-lock.ts'

const scratch = scratchDirectory()
const locks: DirectoryLock[] = []
afterEach(() => Promise.all(locks.splice(0).map((lock) => lock.release())))

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

async function lock(path: string, platform?: string): Promise<DirectoryLock> {
  const taken = await lockInProcess(await stat(path, { bigint: true }), platform)
  locks.push(taken)
  return taken
}

describe.each([process.platform, 'another'])('a lock within a process (%s)', (platform) => {
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

  it('goes to one of many that want it at once', async () => {
    const path = await directory()
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lock(path, platform)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

// Elsewhere there is no name that threads share.
describe.runIf(process.platform === 'linux')('a lock within a process, in two threads', () => {
  it('is given to one', async () => {
    const path = await directory()
    const { dev, ino } = await stat(path, { bigint: true })
    const program = `
      const { createServer } = require('node:net')
      const { parentPort, workerData } = require('node:worker_threads')
      createServer().listen('\\0' + workerData, () => parentPort.postMessage('listening'))`
    const worker = new Worker(program, { eval: true, workerData: `varve-process:${process.pid}:${dev}:${ino}` })
    await new Promise((resolve) => worker.once('message', resolve))
    await expect(lock(path)).rejects.toMatchObject({ code: 'StoreLocked', details: { pid: process.pid } })
    await worker.terminate()
    await lock(path)
  })
})
