/** The private directory of the control socket, without what dead owners left in it. */
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { belongsTo, fileAt, type SocketFiles, type Users } from './socket-files.ts'
import { chmod, mkdir, readdir, readFile, rmdir, unlink } from '../files/patient-files.ts'

/** A socket elsewhere has this name, in a directory of its own whose name begins with the prefix. */
export const socketName = 'socket'
export const elsewherePrefix = 'varve-control-'

/** What cannot be removed is removed by the next owner. */
export const ignoring = (remove: () => Promise<void>): Promise<void> => remove().catch(() => undefined)

/**
 * For the owner of the store's lock: any socket that is found has no owner.
 * @throws Error when a file of another user or of another kind is in the place
 */
export async function prepareSocketDirectory(files: SocketFiles, users: Users): Promise<void> {
  await mkdir(files.directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const holder = await lstat(files.directory)
  if (!holder.isDirectory() || !belongsTo(users, holder)) throw foreign(files.directory)
  if (process.platform !== 'win32' && (holder.mode & 0o077) !== 0) await chmod(files.directory, 0o700)
  for (const name of await readdir(files.directory)) await removeLeftover(files, name, users)
}

async function removeLeftover(files: SocketFiles, name: string, users: Users): Promise<void> {
  const [, kind] = /^(socket|elsewhere)(-|$)/.exec(name) ?? []
  const path = join(files.directory, name)
  const found = kind === undefined ? undefined : await fileAt(path)
  if (found === undefined) return
  const isOfKind = kind === 'socket' ? found.isSocket() : found.isFile()
  if (!isOfKind || !belongsTo(users, found)) throw foreign(path)
  if (path === files.elsewhere) await removeElsewhere(await readFile(path, 'utf8'), users)
  await unlink(path)
}

/** Removes only what this release makes: a file names any path. */
async function removeElsewhere(address: string, users: Users): Promise<void> {
  const directory = dirname(address)
  if (basename(address) !== socketName || !basename(directory).startsWith(elsewherePrefix)) return
  const [socket, holder] = [await fileAt(address), await fileAt(directory)]
  if (holder?.isDirectory() !== true || !belongsTo(users, holder)) return
  if (socket?.isSocket() === true) await ignoring(() => unlink(address))
  await ignoring(() => rmdir(directory))
}

const foreign = (path: string): Error => new Error(`${path} is not of this store, or belongs to another user`)
