/** Writes the directory of a store of the old format, frame by frame: one bucket, and one version of each object. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type LayoutName, openStoreDirectory, type StoreDirectory } from '@varve/adapters'
import type { RecordedEvent, RowChange } from '@varve/core'
import { oldFrame, OldLogWriter } from './old-format.ts'

export interface OldStore {
  readonly layout: LayoutName
  readonly objects: number
  /** The position of an event whose bytes are damaged. @default none */
  readonly damaged?: number
}

export const bucket = 'box'
const storeId = 'ab'.repeat(16)
const by = { id: 'a1', name: 'Alice' }
const at = 1_767_225_600_000
const perCommit = 500
/** One object in so many is a blob outside the journal. */
const blobEvery = 1000

export const keyOf = (i: number): string => `${i % 100}/${String(i).padStart(8, '0')}`
export const bodyOf = (i: number): string => `object ${i};`.repeat(i % blobEvery === 1 ? 5000 : 1 + (i % 20))

export async function writeOldStore(path: string, { layout, objects, damaged }: OldStore): Promise<void> {
  const directory = await openStoreDirectory(path, { layout, ids: { next: () => storeId } })
  const writer = new OldLogWriter()
  try {
    await directory.markReady()
    await commit(directory, writer, [bucketCreated()])
    for (let from = 0; from < objects; from += perCommit) {
      const some = Array.from({ length: Math.min(perCommit, objects - from) }, (_, i) => from + i)
      await commit(directory, writer, await Promise.all(some.map((i) => put(directory, i))), damaged)
    }
    await directory.witness.write({ seq: writer.seq, hash: writer.hash })
    directory.markSound()
  } finally {
    await directory.close()
  }
  await writeFile(join(path, 'FORMAT'), oldFormat(layout))
}

/** The FORMAT file, as releases before format 3 wrote it. */
export function oldFormat(layout: LayoutName): string {
  const fields = layout === 'level+files' ? { storeId, version: 1 } : { storeId, version: 2, layout }
  return sealed({ ...fields, state: 'ready' })
}

/** One line of JSON with its checksum. */
export function sealed(fields: object): string {
  const crc = crc32(JSON.stringify(fields)).toString(16).padStart(8, '0')
  return `${JSON.stringify({ ...fields, crc })}\n`
}

interface Write {
  readonly event: Pick<RecordedEvent, 'at' | 'by' | 'requestId' | 'type' | 'data'>
  /** The rows of the event at its position. */
  rows(seq: number): readonly RowChange[]
}

async function commit(
  { journal }: StoreDirectory,
  writer: OldLogWriter,
  writes: readonly Write[],
  damaged = 0,
): Promise<void> {
  const expectedHead = writer.seq
  const rows: RowChange[] = []
  const events = writes.map(({ event, rows: rowsAt }) => {
    const bytes = writer.append(event)
    rows.push(...rowsAt(writer.seq))
    return writer.seq === damaged ? bytes.fill(0, 9, 10) : bytes
  })
  const [key, value] = writer.headRow(at)
  await journal.commit({ expectedHead, events, rows: [...rows, { key, value }] })
}

function bucketCreated(): Write {
  const event = { at, by, requestId: 'r0', type: 'BucketCreated', data: { bucket, owner: by, region: 'eu' } } as const
  const row = (seq: number) => ({ owner: by, region: 'eu', createdAt: at, incarnation: seq, since: seq })
  return { event, rows: (seq) => [jsonRow([0x10, ...text(bucket)], row(seq))] }
}

async function put({ blobs }: StoreDirectory, i: number): Promise<Write> {
  const bytes = Buffer.from(bodyOf(i))
  const etag = createHash('md5').update(bytes).digest('hex')
  const id = createHash('md5').update(`blob ${i}`).digest('hex')
  const inline = i % blobEvery !== 1
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(bytes))
  const blob = { id, size: bytes.length, inline, crcs: crc.toString('base64') }
  const facts = { size: bytes.length, etag, content: { kind: 'blob', blob }, metadata: { user: [] } } as const
  if (!inline) await blobs.write(id, chunks(bytes))
  const key = keyOf(i)
  const data = { bucket, key, nullVersion: true, ...facts }
  return {
    event: { at, by, requestId: etag, type: 'VersionAdded', data },
    rows(seq) {
      const row = { seq, at, owner: by, nullVersion: true, deleteMarker: false, ...facts }
      const place = [...text(bucket), ...text(key)]
      const blobRow = jsonRow([0x42, ...text(id)], { by: seq, size: bytes.length })
      const inlineKey = Uint8Array.of(0x80, ...text(id))
      return [
        jsonRow([0x20, ...place], row),
        jsonRow([0x21, ...place, ...newestFirst(seq)], row),
        inline ? { key: inlineKey, value: oldFrame(inlineKey, bytes) } : blobRow,
      ]
    },
  }
}

async function* chunks(bytes: Uint8Array) {
  yield bytes
}

const text = (value: string): readonly number[] => [...Buffer.from(value), 0, 1]

function newestFirst(seq: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(2n ** 64n - 1n - BigInt(seq))
  return bytes
}

function jsonRow(keyBytes: readonly number[], row: object): RowChange {
  const key = Uint8Array.from(keyBytes)
  return { key, value: oldFrame(key, Buffer.from(JSON.stringify(row))) }
}
