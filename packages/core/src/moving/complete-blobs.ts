/** Brings blobs that an earlier copy of a store should have: it may have lost them since, or the source did not have them then. */
import { isUnrestored } from '../content/unrestored.ts'
import type { BlobRef } from '../events/index.ts'
import { BlobBringer } from '../repair/bring-blobs.ts'
import { namingRows } from '../verify/naming-rows.ts'
import type { Hashing } from '../ports/index.ts'
import type { MoveSource, MoveTarget } from './places.ts'

interface Completed {
  readonly from: Pick<MoveSource, 'blobs'>
  readonly into: Pick<MoveTarget, 'journal' | 'blobs'>
  readonly hashing: Hashing
  readonly signal?: AbortSignal | undefined
}

const blobsAtOnce = 500

/**
 * Looks for every blob that the views of the copy name. Resolves with what was brought, and what the source does not have either.
 * @throws StorageError `BlobCorrupt` and the like for damaged bytes; what the ports throw; the reason of `signal`
 */
export async function completeBlobs({
  from,
  into,
  hashing,
  signal,
}: Completed): Promise<Pick<BlobBringer, 'blobs' | 'bytes' | 'absentIds'>> {
  const bringer = new BlobBringer({ from: from.blobs, into: into.blobs, hashing, signal })
  let wanted: BlobRef[] = []
  // Damaged rows are for `verify`.
  const damaged = (): void => undefined
  for await (const { blob, mayBeErased } of namingRows(into.journal, hashing, damaged)) {
    if (blob.inline || mayBeErased || (await isUnrestored(into.journal, hashing, blob.id))) continue
    if (wanted.push(blob) < blobsAtOnce) continue
    await bringer.bring(wanted)
    wanted = []
  }
  await bringer.bring(wanted)
  return bringer
}
