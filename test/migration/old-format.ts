/**
 * Writes what releases before format 3 wrote: events as JSON, and frames with the format byte 1. This is test material:
 * it stays as it is when the current format changes.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Journal, RecordedEvent, Row } from '@varve/core'

/** CRC-32 of key, format byte and payload; the format byte; the payload. */
export function oldFrame(key: Uint8Array, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + payload.length)
  frame[4] = 1
  frame.set(payload, 5)
  new DataView(frame.buffer).setUint32(0, crc32(frame.subarray(4), crc32(key)))
  return frame
}

function eventKey(seq: number): Uint8Array {
  const key = new Uint8Array(9)
  new DataView(key.buffer).setBigUint64(1, BigInt(seq))
  return key
}

const laterFields = ['tags', 'acl', 'retention', 'legalHold', 'storageClass', 'encryption', 'owner', 'leavesUploads']
const firstAlgorithms: readonly unknown[] = [undefined, 'CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']
const withSecondShape = ['VersionAdded', 'UploadStarted', 'PartAdded', 'UploadCompleted', 'UploadAborted']

/** The lowest schema version that expresses the event. */
function oldVersion({ type, data }: RecordedEvent): number {
  if (![...withSecondShape, 'BucketDeleted'].includes(type)) return 1
  const { content, checksum, checksumAlgorithm, lastOf, ...fields } = data as unknown as Readonly<
    Record<string, unknown>
  >
  const algorithms = [checksumAlgorithm, (checksum as { readonly algorithm?: string } | undefined)?.algorithm]
  const isSealed = (content as { readonly sealed?: unknown } | undefined)?.sealed !== undefined
  const isLater = laterFields.some((name) => fields[name] !== undefined && fields[name] !== false)
  return isSealed || isLater || lastOf !== undefined || algorithms.some((each) => !firstAlgorithms.includes(each))
    ? 2
    : 1
}

/** A log in the old format, from its first event. */
export class OldLogWriter {
  seq = 0
  /** SHA-256 of the last payload. */
  hash = ''

  append(event: Pick<RecordedEvent, 'at' | 'by' | 'requestId' | 'type' | 'data'>): Uint8Array {
    const { at, by, requestId, type, data } = event
    const seq = ++this.seq
    const v = oldVersion(event as RecordedEvent)
    const payload = Buffer.from(JSON.stringify({ seq, at, by, requestId, prev: this.hash, type, v, data }))
    this.hash = createHash('sha256').update(payload).digest('base64url')
    return oldFrame(eventKey(seq), payload)
  }

  /** The row that shows how far the views follow the log. */
  headRow(at: number): Row {
    const key = Uint8Array.of(0x01)
    const row = { seq: this.seq, at, hash: this.hash, views: 5 }
    return [key, oldFrame(key, Buffer.from(JSON.stringify(row)))]
  }
}

const inlineRange = { gte: Uint8Array.of(0x80), lt: Uint8Array.of(0x81) }

/** Writes the events and the inline bytes of a journal of the current format into an empty one, in the old format. */
export async function writeAsOld(
  from: Pick<Journal, 'cursor'>,
  log: AsyncIterable<RecordedEvent>,
  into: Journal,
): Promise<OldLogWriter> {
  const writer = new OldLogWriter()
  const events: Uint8Array[] = []
  let at = 0
  for await (const event of log) {
    if (event.type === 'FormatUpgraded') continue
    events.push(writer.append(event))
    at = event.at
  }
  const [key, value] = writer.headRow(at)
  const rows = (await inlineRows(from)).map(([inline, frame]) => ({
    key: inline,
    value: oldFrame(inline, frame.subarray(5)),
  }))
  await into.commit({ expectedHead: 0, events, rows: [{ key, value }, ...rows] })
  return writer
}

async function inlineRows(journal: Pick<Journal, 'cursor'>): Promise<readonly Row[]> {
  const rows: Row[] = []
  const cursor = journal.cursor(inlineRange)
  for (let page = await cursor.next(256); page.length > 0; page = await cursor.next(256)) rows.push(...page)
  await cursor.close()
  return rows
}
