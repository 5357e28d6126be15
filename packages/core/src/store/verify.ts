/**
 * Does everything still agree? Walks the log from its first event, makes the views again beside the stored ones and
 * compares them byte for byte, and reads every blob that something names. Reports; changes nothing.
 */
import { compareBytes } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import { readExtents } from '../content/content-reader.ts'
import { isStorageError } from '../errors.ts'
import type { BlobRef, Content } from '../events/index.ts'
import type { BlobId, Journal, Row, RowCursor, RowRange, Seq } from '../ports/index.ts'
import { walkRows } from '../reads/row-walk.ts'
import { blobTable, currentTable, partTable, pastVersionTable, versionTable, viewRange } from '../views/tables.ts'
import { catchUp, type Progress } from './catch-up.ts'
import type { Engine } from './engine.ts'
import { readLog } from './log.ts'
import type { Cancelable } from './types.ts'

export type VerifyStage = 'log' | 'views' | 'blobs'

export interface VerifyOptions extends Cancelable {
  /** An empty journal to make the views in again; it is the caller's to close. Without one, views are not compared. */
  readonly scratch?: Journal
  /** `read` (default) reads every byte, `present` asks only whether each blob is there in its size, `skip` does neither. */
  readonly blobs?: 'read' | 'present' | 'skip'
  onProgress?(progress: Progress & { readonly stage: VerifyStage }): void
}

/** One thing that does not agree. */
export interface Divergence {
  readonly kind:
    | 'LogCorrupt'
    | 'RowMissing'
    | 'RowUnexpected'
    | 'RowDiffers'
    | 'RowCorrupt'
    | 'BlobMissing'
    | 'BlobCorrupt'
    | 'BlobOrphan'
  readonly message: string
  readonly seq?: Seq
  /** Row key in hex, or blob id. */
  readonly key?: string
}

export interface VerifyReport {
  readonly ok: boolean
  readonly events: number
  readonly rows: number
  readonly blobs: number
  readonly bytes: number
  readonly divergences: readonly Divergence[]
}

interface Findings {
  events: number
  rows: number
  blobs: number
  bytes: number
  readonly divergences: Divergence[]
}

export async function verify(engine: Engine, options: VerifyOptions = {}): Promise<VerifyReport> {
  engine.assertOpen()
  const findings: Findings = { events: 0, rows: 0, blobs: 0, bytes: 0, divergences: [] }
  // Held as a read, so that the sweep does not take away what is being looked at.
  const release = engine.reads.begin(0)
  try {
    const sound = await verifyLog(engine, options, findings)
    if (sound && options.scratch !== undefined) await verifyViews(engine, options.scratch, options, findings)
    if (options.blobs !== 'skip') await verifyBlobs(engine, options, findings)
    return { ok: findings.divergences.length === 0, ...findings }
  } finally {
    release()
  }
}

async function verifyLog(engine: Engine, options: VerifyOptions, findings: Findings): Promise<boolean> {
  const total = engine.writer.committed
  try {
    for await (const { event } of readLog(engine.ports, { to: total })) {
      options.signal?.throwIfAborted()
      findings.events = event.seq
      if (event.seq % 1000 === 0) options.onProgress?.({ stage: 'log', done: event.seq, total })
    }
    return true
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt', 'UnsupportedFormat')) throw error
    findings.divergences.push({ kind: 'LogCorrupt', message: error.message, seq: Number(error.details['seq'] ?? 0) })
    return false
  }
}

async function verifyViews(
  engine: Engine,
  scratch: Journal,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const { journal, hashing } = engine.ports
  const snapshot = journal.snapshot()
  const { signal, onProgress } = options
  try {
    await catchUp({
      log: journal,
      views: scratch,
      hashing,
      from: 1,
      to: engine.writer.committed,
      ...(signal && { signal }),
      onProgress: (progress) => onProgress?.({ stage: 'views', ...progress }),
    })
    const [stored, made] = [peekable(snapshot.cursor(viewRange)), peekable(scratch.cursor(viewRange))]
    try {
      for (;;) {
        const [a, b] = [await stored.peek(), await made.peek()]
        if (a === undefined && b === undefined) return
        findings.rows++
        compareRows(stored, made, [a, b], findings.divergences)
      }
    } finally {
      await stored.close()
      await made.close()
    }
  } finally {
    await snapshot.close()
  }
}

function compareRows(
  stored: Peekable,
  made: Peekable,
  [a, b]: readonly [Row | undefined, Row | undefined],
  divergences: Divergence[],
): void {
  const order = a === undefined ? 1 : b === undefined ? -1 : compareBytes(a[0], b[0])
  if (order <= 0) stored.take()
  if (order >= 0) made.take()
  const key = toHex(((order > 0 ? b : a) as Row)[0])
  if (order < 0) divergences.push({ kind: 'RowUnexpected', message: 'A row no event made.', key })
  else if (order > 0) divergences.push({ kind: 'RowMissing', message: 'A row is missing.', key })
  else if (compareBytes((a as Row)[1], (b as Row)[1]) !== 0) {
    divergences.push({ kind: 'RowDiffers', message: 'A row is not what the log makes of it.', key })
  }
}

async function verifyBlobs(engine: Engine, options: VerifyOptions, findings: Findings): Promise<void> {
  const { journal, hashing, blobs } = engine.ports
  const total = engine.writer.committed
  const ranges: RowRange[] = [versionTable, pastVersionTable, currentTable].map((table) => table.range('', ''))
  for (const range of [...ranges.map(wholeTable), wholeTable(partTable.ofUpload(0))]) {
    const walk = walkRows<{ seq: Seq; content?: Content; until?: Seq }>(journal, hashing, range)
    try {
      for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
        options.signal?.throwIfAborted()
        const { content, seq, until } = found.row
        if (content?.kind === 'blob')
          await verifyBlob(engine, content.blob, { seq, erasable: until !== undefined }, options, findings)
        options.onProgress?.({ stage: 'blobs', done: Math.min(seq, total), total })
      }
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
      findings.divergences.push({ kind: 'RowCorrupt', message: error.message, key: String(error.details['key']) })
    } finally {
      await walk.close()
    }
  }
  await verifyNames(engine, blobs.list(), findings)
}

/** Every key of the table a range lies in. */
const wholeTable = ({ gte }: RowRange): RowRange => {
  const table = gte[0] as number
  return { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1) }
}

async function verifyBlob(
  engine: Engine,
  blob: BlobRef,
  owner: { readonly seq: Seq; readonly erasable: boolean },
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const { blobs, hashing, journal } = engine.ports
  const manifest = () => Promise.resolve([])
  try {
    if (options.blobs === 'present' && !blob.inline) {
      const handle = await blobs.open(blob.id)
      await handle.close()
      if (handle.size !== blob.size) addBlobDivergence(findings, 'BlobCorrupt', blob.id, owner.seq)
    } else {
      const extents = [{ blob, range: { start: 0, end: blob.size } }]
      for await (const chunk of readExtents({ blobs, hashing, manifest }, journal, extents))
        findings.bytes += chunk.length
    }
    findings.blobs++
  } catch (error) {
    if (!isStorageError(error, 'BlobMissing', 'BlobCorrupt')) throw error
    if (error.code === 'BlobMissing' && owner.erasable) return
    addBlobDivergence(findings, error.code, blob.id, owner.seq)
  }
}

function addBlobDivergence(
  { divergences }: Findings,
  kind: 'BlobMissing' | 'BlobCorrupt',
  key: BlobId,
  seq: Seq,
): void {
  const message = kind === 'BlobMissing' ? 'The bytes of a version are missing.' : 'The bytes of a version are damaged.'
  if (!divergences.some((one) => one.kind === kind && one.key === key)) divergences.push({ kind, message, key, seq })
}

/** Blobs that no row names: harmless, the sweep removes them. */
async function verifyNames(engine: Engine, ids: AsyncIterable<BlobId>, findings: Findings): Promise<void> {
  const { journal } = engine.ports
  for await (const id of ids) {
    if (engine.inFlight.has(id) || (await journal.get(blobTable.key(id).bytes)) !== undefined) continue
    findings.divergences.push({
      kind: 'BlobOrphan',
      message: 'A blob that nothing names; the sweep removes it.',
      key: id,
    })
  }
}

interface Peekable {
  peek(): Promise<Row | undefined>
  take(): void
  close(): Promise<void>
}

function peekable(cursor: RowCursor): Peekable {
  let page: readonly Row[] = []
  let at = 0
  return {
    async peek() {
      if (at === page.length) {
        page = await cursor.next(1000)
        at = 0
      }
      return page[at]
    },
    take: () => {
      at++
    },
    close: () => cursor.close(),
  }
}
