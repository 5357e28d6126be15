/** Copies the store of a directory to another one, while a process may have it open. */
import { hasStore, nodeHashing, openReadOnlyDirectory } from '@varve/adapters'
import { type BlobId, copyStore, isStorageError, StorageError, type StoreCopied } from '@varve/core'
import { isWithin, realPathOf } from '../files/enclosing.ts'
import { directoryPlace } from '../moving/directory-place.ts'
import { withFilling } from '../replicas/find-filling.ts'
import type { BackUpOptions } from './replica-arguments.ts'

/** What `backUpStore` did. */
export interface BackUpReport extends Omit<StoreCopied, 'absentIds'> {
  readonly from: string
  readonly to: string
}

const attemptsMax = 5
/** Reading what the owner has merged or erased meanwhile ends with one of them. */
const ofOwner = ['JournalFailed', 'LogCorrupt', 'BlobFailed'] as const

/**
 * The owner goes on while its files are read, so an attempt may miss a file of the journal, or bytes that were erased
 * behind the moment of the journal. The next attempt goes on from there, and copies the event that erased them.
 */
export async function backUpDirectory(from: string, to: string, options: BackUpOptions): Promise<BackUpReport> {
  await assertApart(from, to)
  const sum = { events: 0, blobs: 0, bytes: 0 }
  let absentBefore: readonly BlobId[] = []
  for (let left = attemptsMax - 1; ; left--) {
    const copied = await copyOnce(from, to, { ...options, absentBefore }).catch((error: unknown) => {
      if (left === 0 || !isStorageError(error, ...ofOwner)) throw error
    })
    if (copied === undefined) continue
    sum.events += copied.events
    sum.blobs += copied.blobs
    sum.bytes += copied.bytes
    const { absentIds, ...report } = copied
    // No event that came since says that they were erased, so none is to be expected.
    const isSettled = copied.events === 0 && absentIds.length === absentBefore.length
    if (copied.absent === 0 || isSettled || left === 0) return { from, to, ...report, ...sum }
    absentBefore = absentIds
  }
}

/** A store has no other files than its own, and its copy would be a part of what is copied. */
async function assertApart(from: string, to: string): Promise<void> {
  if (!isWithin(await realPathOf(from), await realPathOf(to))) return
  const message = 'The copy of a store cannot be in the directory of the store.'
  throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'to' } })
}

async function copyOnce(
  from: string,
  to: string,
  { link = true, keyring, ...options }: BackUpOptions & { readonly absentBefore: readonly BlobId[] },
): Promise<StoreCopied> {
  const source = await withFilling(from, await openReadOnlyDirectory(from), keyring)
  try {
    // The store may have changed its layout since its first copy.
    const layout = options.layout ?? ((await hasStore(to)) ? undefined : source.layout)
    const into = await directoryPlace(to, { layout, ...(link && { linkBlobsFrom: from }) }).openTarget()
    try {
      return await copyStore({
        ...options,
        from: { name: from, ...source },
        into,
        hashing: await nodeHashing(),
      })
    } finally {
      await into.close()
    }
  } finally {
    await source.close()
  }
}
