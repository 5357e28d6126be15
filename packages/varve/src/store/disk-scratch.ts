/**
 * A temporary journal on the store's own disk. It is as large as the views, too large for memory or a small `/tmp`. If
 * a crash leaves files of it, they are removed when the store is next opened.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { levelJournal, openLevelDirectory } from '@varve/adapters'
import type { Scratch } from '@varve/core'
import { mkdir, rm } from '../files/patient-files.ts'

export const scratchDirectoryOf = (dir: string): string => join(dir, 'scratch')

/** Creates `parent` if it does not exist. */
export async function diskScratch(parent: string): Promise<Scratch> {
  const path = join(parent, randomBytes(8).toString('hex'))
  const removeFiles = () => rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true, mode: 0o700 })
  try {
    const db = await openLevelDirectory(path, { createIfMissing: true })
    const journal = await levelJournal(db, { sync: false, exclusive: true })
    return {
      journal,
      async remove() {
        await journal.close()
        await removeFiles()
      },
    }
  } catch (error) {
    await removeFiles()
    throw error
  }
}
