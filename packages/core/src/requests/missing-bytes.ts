/** Tells an erasure from a loss: bytes of the past that are not there were erased only if the log says so. */
import { isStorageError } from '../base/errors.ts'
import { objectErased } from '../content/manifests.ts'
import { isUnrestored } from '../content/unrestored.ts'
import { isDataKeyMissing } from '../encryption/data-key-row.ts'
import type { BlobContent } from '../events/index.ts'
import { isNeeded } from '../reads/is-needed.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import type { RequestEngine } from './request-engine.ts'

export const isMissing = (error: unknown): boolean => isStorageError(error, 'BlobMissing') || isDataKeyMissing(error)

/**
 * The error of a read of the past whose bytes are not there: `ObjectErased` if their erasure was recorded or has started, also in the replica
 * that the store was restored from. Otherwise the bytes are lost, and the error says so.
 */
export async function missingPastBytes(
  requests: RequestEngine,
  { facts, size }: Pick<ObjectVersionRow, 'facts' | 'size'>,
  error: unknown,
): Promise<unknown> {
  if (!isMissing(error)) return error
  const { content } = facts
  const contents = content.kind === 'parts' ? await requests.manifests.contents(content.upload, size) : [content]
  for (const each of contents) if (each.kind === 'blob' && (await isErased(requests, each))) return objectErased()
  return error
}

function isErased({ owner, ports: { hashing } }: RequestEngine, { blob }: BlobContent): Promise<boolean> {
  return Promise.resolve(
    owner.withSnapshot(
      async (rows) =>
        (await isUnrestored(rows, hashing, blob.id)) ||
        !(await isNeeded(rows, hashing, { what: 'blob', blob, mayBeErased: true }, true)),
    ),
  )
}
