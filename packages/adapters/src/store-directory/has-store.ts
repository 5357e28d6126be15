import { errnoOf, onMedium } from '../files/errno.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { storePaths } from './store-paths.ts'

/** Whether there is a store in the directory, of any format and in any state. @throws StorageError `JournalFailed` */
export function hasStore(directory: string): Promise<boolean> {
  return onMedium('JournalFailed', 'Looking for a store', async () => {
    try {
      await nodeFileSystem.stat(storePaths(directory).format)
      return true
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) return false
      throw error
    }
  })
}
