/** Rebuilds a damaged file from those of its pages that can be read. */
import { join } from 'node:path'
import { StorageError } from '@varve/core'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { type LmdbEnvironment, loadLmdb } from './lmdb-environment.ts'
import { lmdbFile } from './lmdb-files.ts'
import { LmdbPages } from './lmdb-pages.ts'
import { openLmdbFile } from './open-lmdb-file.ts'
import { lmdbFailure } from './open-lmdb-journal.ts'
import { writeBatch } from './write-batch.ts'
import { mkdir, readdir, rename } from '../files/patient-files.ts'

/** Nodes in one transaction. */
const nodesAtOnce = 256

/**
 * Only for copies: the result must be checked.
 * @throws StorageError `LogCorrupt` when nothing of it can be read.
 */
export async function rescueLmdb(directory: string): Promise<void> {
  const openLmdb = await loadLmdb()
  const damaged = join(directory, 'damaged')
  await mkdir(damaged)
  for (const name of await readdir(directory)) {
    if (name.startsWith(lmdbFile)) await rename(join(directory, name), join(damaged, name))
  }
  const file = await fs.open(join(damaged, lmdbFile), 'r')
  let into: LmdbEnvironment | undefined
  try {
    const pages = await LmdbPages.of(file, () => undefined)
    if (pages === undefined) throw new StorageError('LogCorrupt', 'Nothing of the log can be read.')
    into = await openLmdbFile({ fs, path: join(directory, lmdbFile), openLmdb })
    await copy(pages, into)
  } catch (error) {
    throw lmdbFailure(error)
  } finally {
    await into?.close()
    await file.close()
  }
}

async function copy(pages: LmdbPages, into: LmdbEnvironment): Promise<void> {
  let gathered: (readonly [Uint8Array, Uint8Array])[] = []
  const write = () =>
    writeBatch(into, (batch) => {
      for (const [key, value] of gathered) batch.put(key, value)
    })
  for await (const { key, value } of pages.nodes('kept')) {
    // LMDB does not accept an empty key, which a damaged page may show.
    if (key.length === 0) continue
    gathered.push([key, await value()])
    if (gathered.length < nodesAtOnce) continue
    await write()
    gathered = []
  }
  if (gathered.length > 0) await write()
}
