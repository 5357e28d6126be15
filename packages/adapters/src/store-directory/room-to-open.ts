/**
 * Checks that there is space for what opening a store writes: LevelDB makes a table from its log files, a new log and a
 * new manifest. The check writes files instead of calculating: only a write shows limits on files and quotas.
 */
import { join, resolve } from 'node:path'
import { privateFile } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import { defaultLayoutName, layoutOf } from '../layouts/layout.ts'
import { readFormat } from './store-format.ts'
import { storePaths } from './store-paths.ts'

const spareBytes = 1024 * 1024
/** Several small files. LevelDB compresses its tables, so this does not test the largest size of a file. */
const probeBytes = 256 * 1024
const probeForm = /^room-\d+\.probe$/

/**
 * Can be called while the store is open: it touches no file of the store.
 * @throws StorageError `NoSpace` when there is no space, `JournalFailed` when the medium fails otherwise.
 */
export async function assertRoomToOpen(
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> {
  const path = resolve(directory)
  const format = await readFormat(fs, storePaths(path).format)
  const { database, databaseFiles } = storePaths(path, layoutOf(format?.layout ?? defaultLayoutName).journal)
  await onMedium('JournalFailed', 'Looking for room to open the log', async () => {
    const probes = Math.ceil((spareBytes + (await sizeOfLogs(fs, database, databaseFiles))) / probeBytes)
    // A crash may have left the files of an earlier check.
    await removeProbes(fs, database)
    try {
      for (let i = 0; i < probes; i++) await writeProbe(fs, join(database, `room-${i}.probe`))
    } finally {
      await removeProbes(fs, database)
    }
  })
}

async function removeProbes(fs: FileSystem, database: string): Promise<void> {
  for (const name of await fs.readdir(database)) {
    if (probeForm.test(name)) await allowing('ENOENT', () => fs.unlink(join(database, name)))
  }
}

async function writeProbe(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.open(path, 'wx', privateFile)
  try {
    await fill(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function sizeOfLogs(fs: FileSystem, database: string, { isReplayed }: DatabaseFiles): Promise<number> {
  let bytes = 0
  for (const name of await fs.readdir(database)) {
    if (!isReplayed(name)) continue
    const file = await fs.open(join(database, name), 'r')
    try {
      bytes += (await file.stat()).size
    } finally {
      await file.close()
    }
  }
  return bytes
}

async function fill(file: OpenFile): Promise<void> {
  const bytes = new Uint8Array(probeBytes)
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, at)
    if (bytesWritten === 0) throw new Error('The file takes no more bytes.')
    at += bytesWritten
  }
}
