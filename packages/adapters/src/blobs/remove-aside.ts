/** Removes blobs that are erased from the folder `quarantine`, where a damaged copy may have most of their bytes. */
import { join } from 'node:path'
import type { BlobId } from '@varve/core'
import { syncDirectory } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'

/** A blob has its id as its name, with a number if the name was taken; a note is beside it. */
const blobAside = /^([0-9a-f]{32})(?:-\d+)?(?:\.json)?$/

export const removeAside = (fs: FileSystem, directory: string, ids: readonly BlobId[]): Promise<void> =>
  onMedium('BlobFailed', 'Removing blobs from quarantine', () =>
    allowing('ENOENT', async () => {
      const home = join(directory, 'quarantine')
      const erased = new Set<string>(ids)
      const names = (await fs.readdir(home)).filter((name) => erased.has(blobAside.exec(name)?.[1] ?? ''))
      for (const name of names) await allowing('ENOENT', () => fs.unlink(join(home, name)))
      if (names.length > 0) await syncDirectory(fs, home)
    }),
  )
