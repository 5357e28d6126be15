/**
 * The files of the control socket in a store's directory: `control/socket`, or `control/elsewhere`, which names a socket
 * in another place. Only processes of trusted users may have made them.
 */
import type { Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readFile } from '../files/patient-files.ts'

export interface SocketFiles {
  /** Mode 0700. */
  readonly directory: string
  /** Mode 0600. */
  readonly socket: string
  readonly elsewhere: string
}

export function socketFiles(dir: string): SocketFiles {
  const directory = join(dir, 'control')
  return { directory, socket: join(directory, 'socket'), elsewhere: join(directory, 'elsewhere') }
}

/** The longest path of a socket that the system takes, in bytes. The limit includes a null character. */
const pathMax = process.platform === 'linux' ? 107 : 103

export const isShortEnough = (path: string): boolean => Buffer.byteLength(path) <= pathMax

/** Which directory it is, whatever its path: see `FileIdentity`. */
export async function identityOf(dir: string): Promise<string> {
  const { dev, ino } = await stat(dir, { bigint: true })
  return `${dev}:${ino}`
}

/** The answer header that names the directory of the store. */
export const identityHeader = 'x-varve-directory'

export type Users = ReadonlySet<number | undefined>

/** Root, this user, and the owner of the store's directory, who could change the store anyway. */
export async function trustedUsers(dir: string): Promise<Users> {
  return new Set([0, process.geteuid?.(), (await stat(dir)).uid])
}

/** Windows has no users of this kind. */
export const belongsTo = (users: Users, { uid }: Pick<Stats, 'uid'>): boolean =>
  process.platform === 'win32' || users.has(uid)

const othersMayWrite = ({ mode }: Pick<Stats, 'mode'>): boolean => process.platform !== 'win32' && (mode & 0o022) !== 0

/** `undefined`: there is none. */
export async function fileAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

const pipePrefix = String.raw`\\.\pipe\varve-`
const nameMax = 4096

/** A new name for a pipe of Windows. No other process can guess it before it is written into the directory. */
export const pipeName = (random: string): string => `${pipePrefix}${random}`

/**
 * The address of the socket that the owner of the directory left; `undefined`: there is none that a trusted user made.
 * The owner may be gone.
 */
export async function findSocket(dir: string): Promise<string | undefined> {
  const files = socketFiles(dir)
  const users = await trustedUsers(dir)
  const holder = await fileAt(files.directory)
  if (holder?.isDirectory() !== true || !belongsTo(users, holder) || othersMayWrite(holder)) return undefined
  if (await isTrustedSocket(files.socket, users)) return files.socket
  return findElsewhere(files, users)
}

async function isTrustedSocket(path: string, users: Users): Promise<boolean> {
  const found = await fileAt(path)
  return found?.isSocket() === true && belongsTo(users, found)
}

async function findElsewhere(files: SocketFiles, users: Users): Promise<string | undefined> {
  const note = await fileAt(files.elsewhere)
  if (note?.isFile() !== true || !belongsTo(users, note) || note.size > nameMax) return undefined
  const address = await readFile(files.elsewhere, 'utf8')
  if (process.platform === 'win32') return address.startsWith(pipePrefix) ? address : undefined
  return (await isTrustedSocket(address, users)) ? address : undefined
}
