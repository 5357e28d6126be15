/**
 * Puts a listening server into a store's directory, for the owner of its lock. A socket that a dead owner left is
 * replaced. The new one is bound under another name, made private, and renamed, so it never has a wider mode.
 */
import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { elsewherePrefix, ignoring, prepareSocketDirectory, socketName } from './socket-directory.ts'
import { isShortEnough, pipeName, type SocketFiles, socketFiles, trustedUsers } from './socket-files.ts'
import { chmod, mkdtemp, rename, rmdir, unlink, writeFile } from '../files/patient-files.ts'

/** A socket in its place. */
export interface PlacedSocket {
  /** Removes the files of the socket, unless others are in their place. */
  remove(): Promise<void>
}

/** @throws Error when another user's file, or no socket, is in the place; what the system throws */
export async function placeSocket(server: Server, dir: string): Promise<PlacedSocket> {
  const files = socketFiles(dir)
  await prepareSocketDirectory(files, await trustedUsers(dir))
  const removeSocket = process.platform === 'win32' ? await placePipe(server, files) : await placeFile(server, files)
  return {
    async remove() {
      await removeSocket()
      await ignoring(() => rmdir(files.directory))
    },
  }
}

async function placeFile(server: Server, files: SocketFiles): Promise<() => Promise<void>> {
  if (isShortEnough(temporaryOf(files.socket))) {
    try {
      return await bound(server, files.socket)
    } catch (error) {
      // Some file systems have no sockets.
      if (!withoutSockets.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  const directory = await mkdtemp(join(shortDirectory(), elsewherePrefix))
  const socket = join(directory, socketName)
  try {
    const remove = await bound(server, socket)
    const forget = await noted(files, socket)
    return async () => {
      await forget()
      await remove()
      await ignoring(() => rmdir(directory))
    }
  } catch (error) {
    await ignoring(() => rmdir(directory))
    throw error
  }
}

const withoutSockets: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS', 'EACCES'])

/** The system's directory for temporary files, unless that has a long path too. */
function shortDirectory(): string {
  const directory = tmpdir()
  return isShortEnough(temporaryOf(join(directory, `${elsewherePrefix}123456`, socketName))) ? directory : '/tmp'
}

/** As long as every name that it makes from this path. */
const temporaryOf = (path: string): string => `${path}-${randomBytes(4).toString('hex')}`

async function placePipe(server: Server, files: SocketFiles): Promise<() => Promise<void>> {
  const name = pipeName(randomBytes(16).toString('hex'))
  await listening(server, name)
  return noted(files, name)
}

async function noted({ elsewhere }: SocketFiles, address: string): Promise<() => Promise<void>> {
  const temporary = temporaryOf(elsewhere)
  await writeFile(temporary, address, { mode: 0o600, flag: 'wx' })
  await rename(temporary, elsewhere)
  return removalOf(elsewhere)
}

async function bound(server: Server, path: string): Promise<() => Promise<void>> {
  const temporary = temporaryOf(path)
  await listening(server, temporary)
  try {
    await chmod(temporary, 0o600)
    await rename(temporary, path)
  } catch (error) {
    server.close()
    throw error
  }
  return removalOf(path)
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Exclusive, because otherwise the workers of a cluster would share one listener.
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject)
      server.unref()
      resolve()
    })
  })
}

/** Removes the file that is at the path now, and no later one. */
async function removalOf(path: string): Promise<() => Promise<void>> {
  const { ino } = await lstat(path, { bigint: true })
  return async () => {
    const isSame = await lstat(path, { bigint: true }).then(
      (found) => found.ino === ino,
      () => false,
    )
    if (isSame) await ignoring(() => unlink(path))
  }
}
