import { basename } from 'node:path'
import { errnoOf, onPath } from '../files/errno.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { storePaths } from './store-paths.ts'

/** Whether there is a store in the directory, of any format and in any state. @throws StorageError as `onPath` */
export function hasStore(directory: string): Promise<boolean> {
  return onPath(directory, async () => {
    try {
      // The directory, and not the file, is what a refusal names.
      return (await nodeFileSystem.readdir(directory)).includes(basename(storePaths(directory).format))
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) return false
      throw error
    }
  })
}
