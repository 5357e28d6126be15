import { soonOrFailed } from '../base/soon.ts'
import type { PutResult } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { CreationFacts, RecordedEvent } from '../events/index.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import { versionId } from '../naming/version-id.ts'
import { shownEncryption } from './protection.ts'
import { withSnapshot } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import { findEvent, type RequestEngine } from './request-engine.ts'

/** The result of a command that adds an object. */
export function createdObject(events: readonly RecordedEvent[]): PutResult {
  const event = findEvent(events, 'VersionAdded') ?? findEvent(events, 'UploadCompleted')
  if (event === undefined) throw new StorageError('InternalError', 'The command left no version.')
  const { etag, size, checksum, nullVersion, encryption } = event.data
  return {
    seq: event.seq,
    lastModified: new Date(event.at),
    versionId: versionId({ seq: event.seq, epoch: event.epoch, nullVersion }),
    etag,
    size,
    ...(checksum && { checksum }),
    ...shownEncryption(encryption),
  }
}

interface Written {
  readonly bucket: string
  readonly key: string
  readonly tags: CreationFacts['tags']
}

/**
 * Adds the expiration by the bucket's lifecycle rules. The write succeeded even if its bucket was deleted meanwhile.
 */
export async function withExpiration<R extends PutResult>(
  requests: RequestEngine,
  context: Attempt,
  { bucket, key, tags = [] }: Written,
  result: R,
): Promise<R> {
  const object = { key, size: result.size, tags, at: result.lastModified.getTime() }
  const find = async (snapshot: ReadSnapshot) => {
    const row = await snapshot.bucket(bucket)
    return row && requests.expirations.find(snapshot, { name: bucket, row }, object)
  }
  const finding = () => withSnapshot({ requests, context }, find, { bucket })
  const expiration = await soonOrFailed(finding, () => undefined)
  return expiration === undefined ? result : { ...result, expiration }
}
