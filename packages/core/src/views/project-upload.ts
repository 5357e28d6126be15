import { creationFacts, type RecordedEvent } from '../events/index.ts'
import { freeContent, nameBlob } from './contents.ts'
import type { RowTransaction } from './row-transaction.ts'
import { completionTable, currentTable, partTable, pastUploadTable, uploadTable } from './tables.ts'

type UploadEvent = RecordedEvent<'UploadStarted' | 'PartAdded' | 'UploadAborted'>

export async function projectUpload(rows: RowTransaction, event: UploadEvent): Promise<void> {
  switch (event.type) {
    case 'UploadStarted':
      return startUpload(rows, event)
    case 'PartAdded':
      return addPart(rows, event)
    case 'UploadAborted': {
      const { upload } = event.data
      await endUpload(rows, event)
      return freeContent(rows, { kind: 'parts', upload }, event, 0)
    }
  }
}

/** The chosen parts stay where they are: they are the object's manifest from now on. */
export async function completeUpload(rows: RowTransaction, event: RecordedEvent<'UploadCompleted'>): Promise<void> {
  const { bucket, key, upload, unused } = event.data
  await endUpload(rows, event)
  rows.put(completionTable.key(upload), { bucket, key, version: event.seq })
  for (const [i, partNumber] of unused.entries()) {
    const part = await rows.get(partTable.key(upload, partNumber))
    if (part === undefined) continue
    rows.delete(partTable.key(upload, partNumber))
    await freeContent(rows, part.content, event, i + 1)
  }
}

async function startUpload(rows: RowTransaction, event: RecordedEvent<'UploadStarted'>): Promise<void> {
  const { bucket, key, owner = event.by, metadata, checksumAlgorithm, checksumType } = event.data
  const optional = {
    ...(checksumAlgorithm && { checksumAlgorithm }),
    ...(checksumType && { checksumType }),
    ...creationFacts(event.data),
    ...(event.data.owner && { initiator: event.by }),
  }
  const current = await rows.get(currentTable.key(bucket, key))
  const over = current && { over: current.seq }
  const row = { seq: event.seq, ...over, at: event.at, owner, metadata, ...optional }
  rows.put(uploadTable.key(bucket, key, event.seq), row)
}

async function addPart(rows: RowTransaction, event: RecordedEvent<'PartAdded'>): Promise<void> {
  const { upload, partNumber, size, etag, content, checksum } = event.data
  const replaced = await rows.get(partTable.key(upload, partNumber))
  if (replaced !== undefined) await freeContent(rows, replaced.content, event, 0)
  nameBlob(rows, content, event.seq)
  const row = { seq: event.seq, at: event.at, size, etag, content, ...(checksum && { checksum }) }
  rows.put(partTable.key(upload, partNumber), row)
}

async function endUpload(
  rows: RowTransaction,
  event: RecordedEvent<'UploadCompleted' | 'UploadAborted'>,
): Promise<void> {
  const { bucket, key, upload } = event.data
  const row = await rows.get(uploadTable.key(bucket, key, upload))
  if (row === undefined) return
  rows.delete(uploadTable.key(bucket, key, upload))
  rows.put(pastUploadTable.key(bucket, key, upload), { ...row, until: event.seq })
}
