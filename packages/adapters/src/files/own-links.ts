/**
 * Symbolic links in the directory of a store or a replica. Its owner can put a link in place of any part. A process of another user, such as
 * root, would follow it, and write and delete where only that process may.
 */
import { join } from 'node:path'
import { StorageError } from '@varve/core'
import { errnoOf } from './errno.ts'
import type { DirectoryEntries, FileSystem } from './file-system.ts'
import { nodeFileSystem } from './node-file-system.ts'

/** No part of a store has directories further down. */
const levelsMax = 4
/** A directory of blobs has a directory for each of 256 prefixes, whose files are only read, renamed, linked and removed. */
const flat: ReadonlySet<string> = new Set(['blobs'])
/** A copy of the log, with links that an inspection made. It is only removed. */
const passedOver: ReadonlySet<string> = new Set(['scratch'])
/** A directory that is not there, is none, or cannot be read: who opens it says so. */
const unread: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'])

/**
 * Call before anything in the directory is used. A link is right if the link, the directory and the process belong to one user: so an owner can
 * keep a part of a store on another disk. Windows has no such users, and there nothing is checked.
 * @throws StorageError `InvalidArgument` that names the first other link; nothing was touched
 */
export async function assertOwnLinks(
  directory: string,
  fs: Pick<FileSystem, 'entries'> = nodeFileSystem,
): Promise<void> {
  const user = process.geteuid?.()
  if (user === undefined) return
  const found = await entriesIn(fs, directory)
  if (found !== undefined) await checkEntries({ fs, owner: found.uid, user }, directory, found, levelsMax)
}

interface Check {
  readonly fs: Pick<FileSystem, 'entries'>
  /** The user who owns the directory of the store. */
  readonly owner: number
  /** The user of the process. */
  readonly user: number
}

async function checkEntries(check: Check, directory: string, found: DirectoryEntries, levels: number): Promise<void> {
  for (const entry of found.entries) {
    const path = join(directory, entry.name)
    if (entry.kind === 'link' && !(entry.uid === check.owner && entry.uid === check.user)) throw refused(path)
    if (entry.kind === 'other' || levels === 0 || passedOver.has(entry.name)) continue
    const below = await entriesIn(check.fs, path)
    // What is behind a link of one's own may be large, and is not only of the store.
    const further = entry.kind === 'link' || flat.has(entry.name) ? 0 : levels - 1
    if (below !== undefined) await checkEntries(check, path, below, further)
  }
}

async function entriesIn(fs: Pick<FileSystem, 'entries'>, path: string): Promise<DirectoryEntries | undefined> {
  try {
    return await fs.entries?.(path)
  } catch (error) {
    if (unread.has(errnoOf(error))) return undefined
    throw error
  }
}

const refused = (path: string): StorageError =>
  new StorageError(
    'InvalidArgument',
    `${path} is a symbolic link. Varve follows it only if the link, the directory of the store and this process belong to one user.`,
    {
      details: { kind: 'link', ArgumentName: 'dir' },
      hint: 'Run this as the user who owns the directory, or put the files in the place of the link: see `docs/embedding.md`.',
    },
  )
