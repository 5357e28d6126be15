import { readWholeFile } from '../files/durable-files.ts'
import { errnoOf } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'

/** Far more than LevelDB makes of anything this store writes; what is longer is cut off, and so damaged. */
const fileBytesMax = 1024 * 1024 * 1024

/** `undefined` for no file. */
export async function readLevelFile(fs: FileSystem, path: string): Promise<Buffer | 'directory' | undefined> {
  try {
    return await readWholeFile(fs, path, fileBytesMax)
  } catch (error) {
    if (errnoOf(error) === 'EISDIR') return 'directory'
    throw error
  }
}
