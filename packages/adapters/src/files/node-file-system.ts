/** The file system of the machine. */
import { readSync, statSync } from 'node:fs'
import * as node from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { DirectoryEntries, DirectoryEntry, FileSystem } from './file-system.ts'
import { patient } from './patient-file-system.ts'
import { pinFile } from './pinned-file.ts'

/** As the machine has it: each call is made once. */
export const machineFileSystem: FileSystem & Required<Pick<FileSystem, 'link' | 'entries'>> = {
  async open(path, flags, mode) {
    const file = await node.open(path, flags, mode)
    return Object.assign(file, {
      readSync: (buffer: Uint8Array, offset: number, length: number, position: number) =>
        readSync(file.fd, buffer, offset, length, position),
    })
  },
  mkdir: (path, mode) => node.mkdir(path, mode),
  rename: (from, to) => node.rename(from, to),
  unlink: (path) => node.unlink(path),
  readdir: (path) => node.readdir(path),
  stat: (path) => node.stat(path, { bigint: true }),
  sizes: sizesOf,
  statfs: (path) => node.statfs(path),
  link: (from, to) => node.link(from, to),
  pin: pinFile,
  entries: entriesOf,
}

/** What fails there for a moment is tried again. */
export const nodeFileSystem: typeof machineFileSystem = patient(machineFileSystem)

/** So many block the event loop for less than a millisecond. */
const sizesAtOnce = 64

async function sizesOf(paths: readonly string[]): Promise<readonly number[]> {
  const sizes: number[] = []
  for (const path of paths) {
    if (sizes.length % sizesAtOnce === sizesAtOnce - 1) await setImmediate()
    sizes.push(statSync(path).size)
  }
  return sizes
}

async function entriesOf(path: string): Promise<DirectoryEntries> {
  const { uid } = await node.stat(path)
  const entries: DirectoryEntry[] = []
  for (const entry of await node.readdir(path, { withFileTypes: true })) {
    const { name } = entry
    if (entry.isSymbolicLink()) entries.push({ name, kind: 'link', uid: (await node.lstat(join(path, name))).uid })
    else entries.push({ name, kind: entry.isDirectory() ? 'directory' : 'other' })
  }
  return { uid, entries }
}
