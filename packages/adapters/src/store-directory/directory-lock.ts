/**
 * One owner per directory, taken before anything in it is opened. LevelDB's own lock cannot be that: a second open in
 * the same process, even a refused one, drops it.
 *
 * On Linux the lock is an abstract socket named after the directory's device and inode: the kernel gives a name to one
 * listener only, whatever the spelling of the path, and takes it back the moment the owner dies. Its owner can be asked for its
 * pid. It holds within one network namespace. Elsewhere the lock is a list in this process. What holds beyond that, across
 * containers and processes, is the lock in the directory: `lock-file.ts`.
 */
import { createServer, type Server } from 'node:net'
import { StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import type { FileIdentity } from '../files/file-system.ts'
import { answerAsHolder, askHolder } from './lock-holder.ts'

export interface DirectoryLock {
  /** Idempotent. */
  release(): Promise<void>
}

/**
 * @throws StorageError `StoreLocked`, at once: `details.pid` is the owner if the owner answers, and `details.kind` is
 * `unavailable` when the system has no such lock to give.
 */
export function lockDirectory(directory: FileIdentity, platform: string = process.platform): Promise<DirectoryLock> {
  const name = `varve:${directory.dev}:${directory.ino}`
  return platform === 'linux' ? lockBySocket(`\0${name}`) : lockInProcess(name)
}

async function lockBySocket(address: string): Promise<DirectoryLock> {
  for (let attempt = 1; ; attempt++) {
    const server = createServer(answerAsHolder)
    try {
      await listen(server, address)
      return releasing(server)
    } catch (cause) {
      if (errnoOf(cause) !== 'EADDRINUSE') throw locked('The lock cannot be taken.', { kind: 'unavailable' }, cause)
    }
    const holder = await askHolder(address)
    // Nobody listens any more: the owner left meanwhile.
    if (holder === 'gone' && attempt < 3) continue
    throw locked('Another owner has the store open.', typeof holder === 'number' ? { pid: holder } : {})
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Exclusive, or the workers of a cluster would share one listener.
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject)
      server.on('error', () => undefined)
      // Holding a store open is no reason for a process to stay.
      server.unref()
      resolve()
    })
  })
}

function releasing(server: Server): DirectoryLock {
  let released: Promise<void> | undefined
  return {
    release() {
      released ??= new Promise((resolve) => {
        server.close(() => resolve())
      })
      return released
    },
  }
}

/** Shared by every copy of this package in the process. */
const registryKey = Symbol.for('varve.locked-directories')

async function lockInProcess(name: string): Promise<DirectoryLock> {
  const home = globalThis as { [registryKey]?: Set<string> }
  home[registryKey] ??= new Set()
  const registry = home[registryKey]
  if (registry.has(name)) throw locked('This process has the store open already.', { pid: process.pid })
  registry.add(name)
  let held = true
  return {
    async release() {
      if (held) registry.delete(name)
      held = false
    },
  }
}

const locked = (message: string, details: Readonly<Record<string, string | number>>, cause?: unknown): StorageError =>
  new StorageError('StoreLocked', message, { details, cause })
