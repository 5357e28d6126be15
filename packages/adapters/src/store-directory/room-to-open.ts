/**
 * Whether there is room for what opening a store writes: LevelDB makes a table of what its log files hold, and a log and
 * a manifest anew. Tried, not reckoned: limits on files and quotas show nowhere else.
 */
import { join, resolve } from 'node:path'
import { privateFile } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import { type FileSystem, nodeFileSystem, type OpenFile } from '../files/file-system.ts'
import { storeLayout } from './layout.ts'

const spareBytes = 1024 * 1024
const blockBytes = 256 * 1024

/**
 * Can be asked of a store that is open: touches no file of it.
 * @throws StorageError `NoSpace` when there is no room, `JournalFailed` when the medium fails otherwise.
 */
export async function assertRoomToOpen(
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> {
  const { events } = storeLayout(resolve(directory))
  const probe = join(events, 'room.probe')
  await onMedium('JournalFailed', 'Looking for room to open the log', async () => {
    const bytes = spareBytes + (await sizeOfLogs(fs, events))
    // What a crash left of an earlier one.
    await allowing('ENOENT', () => fs.unlink(probe))
    const file = await fs.open(probe, 'wx', privateFile)
    try {
      await fill(file, bytes)
      await file.sync()
    } finally {
      await file.close()
      await fs.unlink(probe)
    }
  })
}

async function sizeOfLogs(fs: FileSystem, events: string): Promise<number> {
  let bytes = 0
  for (const name of await fs.readdir(events)) {
    if (!/^\d+\.log$/.test(name)) continue
    const file = await fs.open(join(events, name), 'r')
    try {
      bytes += (await file.stat()).size
    } finally {
      await file.close()
    }
  }
  return bytes
}

async function fill(file: OpenFile, bytes: number): Promise<void> {
  const block = new Uint8Array(blockBytes)
  for (let at = 0; at < bytes; ) {
    const { bytesWritten } = await file.write(block, 0, Math.min(block.length, bytes - at), at)
    if (bytesWritten === 0) throw new Error('The file takes no more bytes.')
    at += bytesWritten
  }
}
