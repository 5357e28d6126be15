/**
 * The name of a directory on Linux: an abstract socket, after its device and inode. It was the lock of release 0.1.0,
 * so holding the name keeps that release out, and shows which process has the store. Between processes of this release
 * the file `lock` decides, and the name is taken after it. Any user can take any name, so a taken name refuses the
 * store only when the system shows which process holds it.
 */
import { stat } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { errnoOf } from '../../files/errno.ts'
import type { FileIdentity } from '../../files/file-system.ts'
import { type DirectoryLock, lockedByAnother } from './file-lock.ts'
import { listening } from './listening.ts'
import { holdersOfName } from './name-holder.ts'

/** For an owner that was killed: the kernel releases its resources one after another. */
const attemptsMax = 5
const pauseMs = 10

const nameOf = ({ dev, ino }: FileIdentity): string => `varve:${dev}:${ino}`

/**
 * The caller must hold the lock of the directory. Resolves without the name, with a warning, when the name is held by a
 * process that is not known to belong to root, this user or the owner of the directory.
 * @throws StorageError `StoreLocked` with `details.pid` when a process of one of those holds it: an earlier release.
 */
export async function claimName(
  directory: FileIdentity,
  path: string,
  platform: string = process.platform,
): Promise<DirectoryLock> {
  const nothing = { release: async () => undefined }
  if (platform !== 'linux') return nothing
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    if (attempt > 1) await delay(pauseMs)
    // Checked before the name is taken: another release of Node may encode it differently.
    const holders = await holdersOfName(nameOf(directory))
    const trusted = await trustedUsers(path)
    for (const { pid, uid } of holders) if (trusted.has(uid)) throw lockedByAnother({ pid })
    try {
      return await listening(createServer(answer), `\0${nameOf(directory)}`)
    } catch (error) {
      if (errnoOf(error) !== 'EADDRINUSE') break
    }
  }
  process.emitWarning(
    `${path}: the socket @${nameOf(directory)} cannot be taken, perhaps because another user's program has it. The store ` +
      'is locked by its file, but not for Varve 0.1.0: do not run that on it meanwhile.',
    'VarveLockWarning',
  )
  return nothing
}

/** The process that holds the name; `undefined` when the system does not show one. */
export async function ownerOf(directory: FileIdentity): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const [holder, ...others] = await holdersOfName(nameOf(directory))
  return others.length === 0 ? holder?.pid : undefined
}

/** The users that can open the store anyway, and so are trusted. */
async function trustedUsers(path: string): Promise<ReadonlySet<number | undefined>> {
  const { uid } = await stat(path)
  return new Set([0, process.geteuid?.(), uid])
}

const answerMsMax = 250

/** Answers the earlier release with the process id. Closes a connection that stays open after a moment. */
function answer(socket: Socket): void {
  socket.unref()
  socket.on('error', () => undefined)
  socket.setTimeout(answerMsMax, () => socket.destroy())
  socket.end(`varve ${process.pid}\n`, () => socket.destroy())
}
