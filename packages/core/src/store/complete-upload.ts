import type { CompletedPart } from '../commands/command.ts'
import { noSuchUpload } from '../decide/uploads.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import { completionTable } from '../views/tables.ts'
import { commandMeta, type StoreContext } from './context.ts'
import { type Desk, findEvent } from './desk.ts'
import { withExpiration } from './expiration.ts'
import { findUpload, positionOf } from './find-upload.ts'
import { readEvent } from './log.ts'
import { putResult, writeConditions } from './put-result.ts'
import type { CompleteOptions, PutResult, UploadRef } from './types/index.ts'

export async function completeUpload(
  desk: Desk,
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
  const upload = positionOf({ bucket, key, uploadId })
  const expected = {
    ...(size !== undefined && { size }),
    ...(checksum && { checksum }),
    ...(checksumType && { checksumType }),
    ...(everyPartChecksum && { everyPartChecksum }),
    ...(partSizeMin !== undefined && { partSizeMin }),
  }
  const command = { bucket, key, upload, parts, repeatable, conditions: writeConditions(options), ...expected }
  if (customerKey !== undefined) await checkKeyOf(desk, { bucket, key, uploadId }, customerKey)
  const events = await desk.submit('CompleteMultipartUpload', command, commandMeta(context, desk.ports.ids))
  const completed = events.length > 0 ? events : [await completionOf(desk, upload)]
  const tags = findEvent(completed, 'UploadCompleted')?.data.tags
  return withExpiration(desk, { bucket, key, tags }, putResult(completed))
}

/** Nobody needs the key for this; one that is given has to be that of the parts. */
async function checkKeyOf(desk: Desk, upload: UploadRef, customerKey: Uint8Array): Promise<void> {
  const { hashing } = desk.ports
  const { row } = await desk.owner.withSnapshot((rows) => findUpload(committedRows(rows, hashing), upload))
  desk.keys.checkSame(row.encryption, customerKey)
}

/** What a completed upload became: asked for when the same completion comes again. */
async function completionOf(desk: Desk, upload: Seq): Promise<RecordedEvent> {
  const { owner } = desk
  const { hashing } = desk.ports
  const key = completionTable.key(upload)
  const completion = await owner.withSnapshot((rows) => committedRows(rows, hashing).get(key))
  if (completion === undefined) throw noSuchUpload()
  return (await readEvent({ journal: owner.log, hashing }, completion.version)).event
}
