import type { CompletedPart } from '../commands/command.ts'
import { noSuchUpload } from '../decide/uploads.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { completionTable } from '../views/tables.ts'
import { type ReadScope, withRows } from './read-scope.ts'
import type { StoreContext } from './request-context.ts'
import { type RequestEngine, findEvent } from './request-engine.ts'
import { createdObject, withExpiration } from './created-object.ts'
import { findUpload } from './find-upload.ts'
import { readEvent } from '../events/log.ts'
import { writeConditions } from '../commands/command.ts'
import type { CompleteOptions, PutResult, UploadRef } from '../api/types/index.ts'

export async function completeUpload(
  requests: RequestEngine,
  context: StoreContext,
  { bucket, key, uploadId, parts }: UploadRef & { readonly parts: readonly CompletedPart[] },
  options: CompleteOptions,
): Promise<PutResult> {
  options.signal?.throwIfAborted()
  const {
    size,
    checksum,
    checksumType,
    repeatable = false,
    everyPartChecksum = false,
    partSizeMin,
    customerKey,
  } = options
  const place = (await requests.uploadIds()).placeOf({ bucket, key, uploadId })
  const expected = {
    ...(size !== undefined && { size }),
    ...(checksum && { checksum }),
    ...(checksumType && { checksumType }),
    ...(everyPartChecksum && { everyPartChecksum }),
    ...(partSizeMin !== undefined && { partSizeMin }),
  }
  const command = { ...place, parts, repeatable, conditions: writeConditions(options), ...expected }
  if (customerKey !== undefined) await checkKeyOf({ requests, context }, { bucket, key, uploadId }, customerKey)
  const events = await requests.submit('CompleteMultipartUpload', command, context)
  const completed = events.length > 0 ? events : [await completionOf({ requests, context }, place.upload)]
  const tags = findEvent(completed, 'UploadCompleted')?.data.tags
  return withExpiration(requests, context, { bucket, key, tags }, createdObject(completed))
}

/** A completion needs no customer key. If one is given, it must be the key of the parts. */
async function checkKeyOf(scope: ReadScope, upload: UploadRef, customerKey: Uint8Array): Promise<void> {
  const ids = await scope.requests.uploadIds()
  const { row } = await withRows(scope, (_, rows) => findUpload(rows, ids, upload), upload)
  scope.requests.keys.checkSame(row.encryption, customerKey)
}

/** The event of an upload's completion, for a repeated completion. */
async function completionOf(scope: ReadScope, upload: Seq): Promise<RecordedEvent> {
  const { owner, ports } = scope.requests
  const key = completionTable.key(upload)
  const completion = await withRows(scope, (_, rows) => rows.get(key))
  if (completion === undefined) throw noSuchUpload()
  return (await readEvent({ journal: owner.log, hashing: ports.hashing }, completion.version)).event
}
