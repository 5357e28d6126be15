/** Makes a store of the archive of one. */
import { resolve } from 'node:path'
import { nodeHashing, randomIds } from '@varve/adapters'
import { restoreReplica, type Seq } from '@varve/core'
import { directoryPlace } from '../moving/directory-place.ts'
import type { ImportStoreOptions } from './archive-arguments.ts'
import { ArchivedLog, noStore } from './archived-log.ts'
import { openArchive } from './open-archive.ts'
import { abortable, bytesOf } from './source-bytes.ts'
import { verifyStore } from './verify-archive.ts'

/** What an import of a store did. */
export interface StoreImported {
  readonly dir: string
  /** The position of the last event of the store, which begins its epoch. */
  readonly head: Seq
  /** How many were copied by this call. */
  readonly events: number
  readonly blobs: number
  readonly bytes: number
  /** What the archive does not have, because it was erased before, or is lost. */
  readonly absent: number
  /** How many contents are absent though nothing says that they were erased: reads of them end with `BlobMissing`, and `verify` finds them. */
  readonly lost: number
}

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function importStore(
  path: string,
  dir: string,
  { layout, ...options }: ImportStoreOptions,
): Promise<StoreImported> {
  const { signal, onProgress } = options
  const { head: last, to } = await lastOf(path, options)
  const into = await directoryPlace(resolve(dir), { layout }).openTarget()
  try {
    const hashing = await nodeHashing()
    const reader = new ArchivedLog({ path, blobs: into.blobs, hashing, to, head: last, signal })
    const { head, events, absent, lost } = await restoreReplica({
      name: 'archive',
      reader,
      into,
      hashing,
      ids: randomIds,
      to,
      toEnd: options.at === undefined,
      excused: () => reader.excused,
      now: Date.now(),
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    })
    return { dir: into.name, head, events, ...reader.written, absent, lost }
  } finally {
    await into.close()
  }
}

/** The last event of the archive, and the last one to import. A moment is found by reading the whole archive. */
async function lastOf(
  path: string,
  { at, verify = true, signal }: ImportStoreOptions,
): Promise<{ readonly head: Seq; readonly to: Seq }> {
  const { tar, manifest } = await openArchive(abortable(bytesOf(path), signal))
  try {
    if (manifest.contents !== 'store') throw noStore()
    const head = manifest.seq
    const to = !verify && at === undefined ? head : (await verifyStore({ tar, manifest }, { at })).position
    return { head, to }
  } finally {
    await tar.close()
  }
}
