/** Opens a file of LMDB, also one that another program has open for a moment. */
import { privateFile } from '../files/durable-files.ts'
import { errnoOf } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { patiently } from '../files/patience.ts'
import { type LmdbEnvironment, named, type OpenLmdb, type OpenLmdbOptions } from './lmdb-environment.ts'

export interface LmdbPlace {
  readonly fs: FileSystem
  readonly path: string
  readonly openLmdb: OpenLmdb
}

export const lockOf = (path: string): string => `${path}-lock`

/** @throws the error of the system, or of LMDB by its name */
export async function openLmdbFile(place: LmdbPlace, options?: OpenLmdbOptions): Promise<LmdbEnvironment> {
  const { fs, path, openLmdb } = place
  return patiently(async () => {
    // The package ends the process if it cannot open this file, so it has to be there.
    await openLock(fs, lockOf(path))
    return named(() => openLmdb(path, options))
  })()
}

/** No environment of this process has the file open: closing it would give up the locks of that one. */
async function openLock(fs: FileSystem, path: string): Promise<void> {
  const file = await fs.open(path, 'r+').catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error
    return fs.open(path, 'wx', privateFile)
  })
  await file.close()
}
