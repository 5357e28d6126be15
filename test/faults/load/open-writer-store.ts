/**
 * The store as `openStore` creates it, but with small write buffers, so that LevelDB changes its log and compacts its
 * tables in a short run. With a bug, it has one mistake in it.
 */
import { basename, dirname } from 'node:path'
import {
  type FileSystem,
  type LevelDatabase,
  type LevelDirectoryOptions,
  nodeFileSystem,
  nodeHashing,
  openLevelDirectory,
  openStoreDirectory,
  randomIds,
  type StoreDirectoryOptions,
  systemClock,
} from '@varve/adapters'
import { openEngine, type Store } from '@varve/core'
import { makingOf } from '../../layouts/layout-parts.ts'
import type { Bug, Orders } from './load.ts'

const writeBufferSize = 64 * 1024

export async function openWriterStore({ directory: path, layout: making, bug }: Orders): Promise<Store> {
  const { layout, ...options } = makingOf(making)
  const directory = await openStoreDirectory(path, { layout, level: { writeBufferSize }, ...(bug && mistakes[bug]) })
  const { journal, blobs, witness, reserve, created } = directory
  const ports = { journal, blobs, witness, reserve, clock: systemClock, ids: randomIds, hashing: await nodeHashing() }
  const store = await openEngine(ports, options)
  if (created) await directory.markReady()
  return store
}

const mistakes: Readonly<Record<Bug, Pick<StoreDirectoryOptions, 'fs' | 'openLevel'>>> = {
  'no-blob-sync': { fs: forgetful((path, flags) => flags === 'wx' && basename(dirname(path)) === 'tmp') },
  'no-directory-sync': { fs: forgetful((_, flags) => flags === 'r') },
  'no-batch-sync': { openLevel: openUnsyncedLevel },
}

/** Files of this kind report syncs that they did not make. A directory is opened with `r` and synced. */
function forgetful(forgets: (path: string, flags: 'r' | 'r+' | 'wx') => boolean): FileSystem {
  return {
    ...nodeFileSystem,
    async open(path, flags, mode) {
      const file = await nodeFileSystem.open(path, flags, mode)
      if (forgets(path, flags)) file.sync = async () => undefined
      return file
    },
  }
}

/** LevelDB whose batches never wait for the disk. */
async function openUnsyncedLevel(path: string, options: LevelDirectoryOptions): Promise<LevelDatabase> {
  const db = await openLevelDirectory(path, options)
  const batchOf = db.batch.bind(db)
  db.batch = () => {
    const batch = batchOf()
    const write = batch.write.bind(batch)
    batch.write = () => write({ sync: false })
    return batch
  }
  return db
}
