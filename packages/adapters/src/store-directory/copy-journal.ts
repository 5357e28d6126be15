/**
 * A copy of LevelDB's files to look into: opening LevelDB always writes, and what is looked at must stay as it is. Tables
 * never change, so a second name for each will do where the file system has such.
 */
import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onMedium } from '../files/errno.ts'
import { isJournalFile, isTableFile } from './journal-seal.ts'

export interface JournalCopy {
  readonly path: string
  remove(): Promise<void>
}

/** Below `scratch`, which is made if need be. `LOCK` is not touched: reading it would drop its owner's lock. */
export async function copyJournal(events: string, scratch: string): Promise<JournalCopy> {
  const path = join(scratch, `look-${randomBytes(8).toString('hex')}`)
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    await onMedium('JournalFailed', 'Copying the log to look into it', async () => {
      await mkdir(path, { recursive: true, mode: 0o700 })
      const entries = await readdir(events, { withFileTypes: true })
      for (const entry of entries) {
        if (!entry.isFile() || !isJournalFile(entry.name)) continue
        const [from, to] = [join(events, entry.name), join(path, entry.name)]
        if (isTableFile(entry.name)) await link(from, to).catch(() => copyFile(from, to))
        else await copyFile(from, to)
      }
    })
  } catch (error) {
    await remove()
    throw error
  }
  return { path, remove }
}
