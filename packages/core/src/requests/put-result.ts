import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { WriteConditions } from '../commands/command.ts'
import { versionId } from '../naming/version-id.ts'
import { findEvent } from './request-engine.ts'
import { shownEncryption } from './encrypt.ts'
import type { PutResult } from '../api/types/index.ts'

/** What a command that adds an object answers. */
export function putResult(events: readonly RecordedEvent[]): PutResult {
  const event = findEvent(events, 'VersionAdded') ?? findEvent(events, 'UploadCompleted')
  if (event === undefined) throw new StorageError('InternalError', 'The command left no version.')
  const { etag, size, checksum, nullVersion, encryption } = event.data
  const place = {
    seq: event.seq,
    lastModified: new Date(event.at),
    versionId: versionId({ seq: event.seq, nullVersion }),
  }
  return { ...place, etag, size, ...(checksum && { checksum }), ...shownEncryption(encryption) }
}

/** Just the conditions of larger options. */
export const writeConditions = ({ ifMatch, ifNoneMatch }: WriteConditions) => ({
  ...(ifMatch !== undefined && { ifMatch }),
  ...(ifNoneMatch !== undefined && { ifNoneMatch }),
})
