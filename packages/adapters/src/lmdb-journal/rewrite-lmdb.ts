/**
 * Writes the newest state of an LMDB file into a new file. LMDB leaves removed values on free pages and in the unused
 * space of others. Its own compacting copy takes over some of that space, and fails if pages were lost. A new file that
 * gets each row once has nothing else.
 */
import { allowing, errnoOf } from '../files/errno.ts'
import { privateFile, temporaryOf } from '../files/durable-files.ts'
import type { FileSystem } from '../files/file-system.ts'
import { isDamage, type LmdbEnvironment, lmdbError } from './lmdb-environment.ts'
import { lmdbEntries } from './lmdb-rows.ts'
import { type LmdbPlace, lockOf, openLmdbFile } from './open-lmdb-file.ts'
import { writeBatch } from './write-batch.ts'

/**
 * Makes a synced copy at the temporary name of the file. False if that fails, as when there is no room: then no copy is left.
 * @throws the error of LMDB if `env` is damaged
 */
export async function writeCopy({ fs, path, openLmdb }: LmdbPlace, env: LmdbEnvironment): Promise<boolean> {
  const copy = temporaryOf(path)
  try {
    await removeCopy(fs, path)
    const file = await fs.open(copy, 'wx', privateFile)
    try {
      await fill(await openLmdbFile({ fs, path: copy, openLmdb }, { noSync: true }), env)
      // The file was open before the first write, so this reports every write that failed.
      await file.sync()
    } finally {
      await file.close()
    }
    await allowing('ENOENT', () => fs.unlink(lockOf(copy)))
    return true
  } catch (error) {
    await removeCopy(fs, path).catch(() => undefined)
    if (isDamage(errnoOf(lmdbError(error)))) throw error
    return false
  }
}

/** Removes what a failure or a crash left of a copy. */
export async function removeCopy(fs: FileSystem, path: string): Promise<void> {
  const copy = temporaryOf(path)
  for (const each of [copy, lockOf(copy)]) await allowing('ENOENT', () => fs.unlink(each))
}

async function fill(copy: LmdbEnvironment, env: LmdbEnvironment): Promise<void> {
  try {
    for (const entries of lmdbEntries(env)) {
      await writeBatch(copy, (batch) => {
        for (const { key, value } of entries) batch.append(key, value)
      })
    }
  } finally {
    await copy.close()
  }
}
