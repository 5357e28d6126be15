import { readWholeFile } from '../files/durable-files.ts'
import { errnoOf } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'

/** Far more than any file that LevelDB makes for this store. A longer file is cut off, and so counts as damaged. */
const fileBytesMax = 1024 * 1024 * 1024

/** `undefined` if there is no such file. */
export async function readLevelFile(fs: FileSystem, path: string): Promise<Buffer | 'directory' | undefined> {
  try {
    return await readWholeFile(fs, path, fileBytesMax)
  } catch (error) {
    if (errnoOf(error) === 'EISDIR') return 'directory'
    throw error
  }
}
