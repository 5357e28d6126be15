/** Compares one blob and its data key with what the log records of them, to find damage. */
import { openFrame } from '../bytes/frame.ts'
import { isDataKeyMissing, readDataKey } from '../encryption/data-key-row.ts'
import { isStorageError } from '../base/errors.ts'
import { crcChunkBytes, crcsOf, parseCrcs } from '../bytes/crc-chunks.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import type { BlobHandle, BlobStore, Hashing, RowReader } from '../ports/index.ts'
import { inlineTable } from '../views/tables.ts'
import { isDamage } from './damaged-bytes.ts'
import type { RunBuffers } from './run-buffers.ts'

export interface BlobCheck {
  readonly blobs: Pick<BlobStore, 'open'>
  readonly hashing: Hashing
  readonly buffers: RunBuffers
  /** Where inline bytes and data keys are stored. */
  readonly rows: RowReader
  /** Checks only that the blob exists and has its size. Inline bytes are always read. */
  readonly presentOnly?: boolean
  readonly signal?: AbortSignal | undefined
  /** Called after each run with its number of bytes. Its promise is awaited. */
  onBytes?(count: number): Promise<void> | void
}

export interface BlobFault {
  readonly kind:
    | 'InlineMissing'
    | 'InlineCorrupt'
    | 'BlobMissing'
    | 'BlobCorrupt'
    | 'BlobUnreadable'
    | 'DataKeyMissing'
    | 'DataKeyCorrupt'
  readonly message: string
  /** The damaged 1 MiB runs, from 0. */
  readonly runs?: readonly number[]
  /** True if the medium may answer later: the bytes need not be damaged. */
  readonly isPassing?: boolean
}

/** The damage of a blob, and of its data key if it has one. */
export async function checkContent(
  check: BlobCheck,
  { blob, sealed }: { readonly blob: BlobRef; readonly sealed: Seal | undefined },
): Promise<readonly BlobFault[]> {
  const faults = [await checkBlob(check, blob), sealed && (await checkDataKey(check, { blob, sealed }))]
  return faults.filter((fault) => fault !== undefined)
}

/** The damage of the data key of a blob; `undefined` if it is sound. Needs no wrapping key. */
export async function checkDataKey(
  { rows, hashing }: Pick<BlobCheck, 'rows' | 'hashing'>,
  content: { readonly blob: BlobRef; readonly sealed: Seal },
): Promise<BlobFault | undefined> {
  try {
    await readDataKey(hashing, rows, content)
    return undefined
  } catch (error) {
    if (isDataKeyMissing(error))
      return { kind: 'DataKeyMissing', message: 'The data key of encrypted bytes is missing.' }
    if (isStorageError(error, 'RowCorrupt'))
      return { kind: 'DataKeyCorrupt', message: 'The data key of encrypted bytes is damaged.' }
    throw error
  }
}

async function checkBlob(check: BlobCheck, blob: BlobRef): Promise<BlobFault | undefined> {
  if (blob.inline) return checkInline(check, blob)
  try {
    const handle = await check.blobs.open(blob.id)
    try {
      if (handle.size !== blob.size) {
        return { kind: 'BlobCorrupt', message: `A blob has ${handle.size} bytes instead of ${blob.size}.` }
      }
      return check.presentOnly === true ? undefined : await checkRuns(check, blob, handle)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (isStorageError(error, 'BlobMissing')) return { kind: 'BlobMissing', message: 'A blob is missing.' }
    if (isStorageError(error, 'BlobFailed'))
      return { kind: 'BlobUnreadable', message: error.message, isPassing: !isDamage(error) }
    throw error
  }
}

async function checkRuns(check: BlobCheck, blob: BlobRef, handle: BlobHandle): Promise<BlobFault | undefined> {
  const crcs = parseCrcs(blob.crcs)
  const runs: number[] = []
  for (let run = 0, at = 0; at < blob.size; run++, at += crcChunkBytes) {
    check.signal?.throwIfAborted()
    const bytes = check.buffers.take(Math.min(crcChunkBytes, blob.size - at))
    try {
      await handle.read(bytes, at)
      if (check.hashing.crc32(bytes) !== crcs[run]) runs.push(run)
    } finally {
      check.buffers.give(bytes)
    }
    await check.onBytes?.(bytes.length)
  }
  if (runs.length === 0) return undefined
  return { kind: 'BlobCorrupt', message: `The bytes of a blob are damaged (run ${runs.join(', ')}).`, runs }
}

async function checkInline(check: BlobCheck, blob: BlobRef): Promise<BlobFault | undefined> {
  const key = inlineTable.key(blob.id)
  const frame = await check.rows.get(key)
  if (frame === undefined) return { kind: 'InlineMissing', message: 'Inline bytes are missing.' }
  const bytes = openFrame(check.hashing, key, frame)
  await check.onBytes?.(frame.length)
  if (bytes?.length === blob.size && crcsOf(check.hashing, bytes) === blob.crcs) return undefined
  return { kind: 'InlineCorrupt', message: 'Inline bytes are damaged.' }
}
