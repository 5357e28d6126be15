/**
 * Allows one holder of a file in this process, threads included, because the system gives some locks to whole
 * processes. On Linux it is an abstract socket named after the process and the file, which only one listener can have;
 * elsewhere a list in this thread.
 */
import { createServer } from 'node:net'
import { StorageError } from '@varve/core'
import { errnoOf } from '../../files/errno.ts'
import type { FileIdentity } from '../../files/file-system.ts'
import { type DirectoryLock, lockedByAnother } from './file-lock.ts'
import { listening } from './listening.ts'

/** @throws StorageError `StoreLocked` when this process has it already, or another program took the socket's name. */
export function lockInProcess(file: FileIdentity, platform: string = process.platform): Promise<DirectoryLock> {
  const name = `${file.dev}:${file.ino}`
  return platform === 'linux' ? lockBySocket(`\0varve-process:${process.pid}:${name}`) : lockInThread(name)
}

async function lockBySocket(address: string): Promise<DirectoryLock> {
  try {
    return await listening(
      createServer((socket) => socket.destroy()),
      address,
    )
  } catch (cause) {
    if (errnoOf(cause) === 'EADDRINUSE') throw lockedByAnother({ pid: process.pid })
    const message = 'The lock cannot be taken.'
    throw new StorageError('StoreLocked', message, { details: { kind: 'unavailable' }, cause })
  }
}

/** Shared by all copies of this package in the thread. */
const registryKey = Symbol.for('varve.locked-files')

async function lockInThread(name: string): Promise<DirectoryLock> {
  const home = globalThis as { [registryKey]?: Set<string> }
  home[registryKey] ??= new Set()
  const registry = home[registryKey]
  if (registry.has(name)) throw lockedByAnother({ pid: process.pid })
  registry.add(name)
  let held = true
  return {
    async release() {
      if (held) registry.delete(name)
      held = false
    },
  }
}
