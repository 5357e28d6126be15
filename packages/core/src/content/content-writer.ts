/**
 * Writes content. Bytes are hashed once while they pass; small contents become inline rows of the journal, others go to
 * the blob store. Nothing here is visible until a command names it.
 */
import { GrowingBytes } from '../bytes/growing-bytes.ts'
import { sealFrame } from '../bytes/frame.ts'
import { concatBytes } from '../bytes/bytes.ts'
import { dataKeyRow } from '../encryption/data-key-row.ts'
import { SealedBytes, type Sealing } from '../encryption/sealing.ts'
import { StorageError } from '../base/errors.ts'
import { type Soon, whenThere } from '../base/soon.ts'
import type { BlobRef, Content } from '../events/index.ts'
import type { BlobId, BlobStore, ByteSource, DigestAlgorithm, Hashing, Ids, RowChange } from '../ports/index.ts'
import { inlineTable } from '../views/tables.ts'
import { discardBlobs } from './discard-blobs.ts'
import { type Interruptible, interruptible, unlessAborted, type Wait } from './interruptible.ts'
import { type Measured, Meter, measureWhole } from './meter.ts'
import { type BodySource, onePiece } from './one-piece.ts'

export interface WrittenContent {
  readonly content: Content
  readonly size: number
  readonly digests: ReadonlyMap<DigestAlgorithm, Uint8Array>
  /** Rows to commit with the command: the bytes themselves if they are inline, and the data key if they are sealed. */
  readonly sideRows: readonly RowChange[]
  /** Whether a commit names the content. */
  isSettled: boolean
}

/** Marks blobs that are written but not yet committed, so that the sweep does not delete them. */
export interface BlobMarks {
  /** Its promise is awaited before the blob is created. */
  add(id: BlobId): unknown
  delete(id: BlobId): unknown
}

export interface ContentWriterOptions {
  readonly blobs: BlobStore
  readonly hashing: Hashing
  readonly ids: Ids
  /** Contents up to this many bytes are stored in the journal. */
  readonly inlineMax: number
  readonly inFlight: BlobMarks
  /** Called and awaited before each chunk, so that a fast source does not block the event loop. */
  readonly turn?: () => Promise<void> | undefined
  /** Waits for a chunk of the source. @default until the signal aborts */
  readonly wait?: Wait
  /** Creates a unique key for the blob. If absent, the bytes are stored unencrypted. */
  readonly seal?: ((blob: BlobId) => Promise<Sealing>) | undefined
}

/** For bodies up to this size, hashing here is faster than on another thread. */
const shortMax = 32 * 1024

/**
 * @throws StorageError `EntityTooLarge` past 5 GiB, `NoSpace` or `BlobFailed` from the blob store; errors of the source
 * pass through.
 */
export async function writeContent(
  options: ContentWriterOptions,
  source: BodySource,
  algorithms: readonly DigestAlgorithm[],
  signal?: AbortSignal,
): Promise<WrittenContent> {
  signal?.throwIfAborted()
  const { hashing, inlineMax, wait = unlessAborted(signal) } = options
  const taking = source[onePiece]?.()
  if (taking !== undefined) {
    return writePiece(options, taking instanceof Promise ? await wait(taking) : taking, algorithms, signal)
  }
  const input = interruptible(source, wait)
  const next = () => nextBytes(input, options, signal)
  let meter: Meter | undefined
  try {
    const head = await gather(next, hashing.beside === undefined ? inlineMax : Math.max(inlineMax, shortMax))
    meter = new Meter(hashing, algorithms, { long: !head.ended })
    if (head.ended && head.size <= inlineMax) return await measuredInline(options, meter, concatBytes(head.chunks))
    return await blobContent(options, meter, metered(meter, head.chunks, next), signal)
  } finally {
    meter?.abandon()
    await input.end()
  }
}

function writePiece(
  options: ContentWriterOptions,
  bytes: Uint8Array,
  algorithms: readonly DigestAlgorithm[],
  signal: AbortSignal | undefined,
): Soon<WrittenContent> {
  return whenThere(options.turn?.(), () => {
    signal?.throwIfAborted()
    const { hashing, inlineMax } = options
    if (bytes.length > Math.min(inlineMax, shortMax)) return writeLongPiece(options, bytes, algorithms, signal)
    return inlineContent(options, measureWhole(hashing, algorithms, bytes), bytes)
  })
}

async function writeLongPiece(
  options: ContentWriterOptions,
  bytes: Uint8Array,
  algorithms: readonly DigestAlgorithm[],
  signal: AbortSignal | undefined,
): Promise<WrittenContent> {
  const meter = new Meter(options.hashing, algorithms, { long: bytes.length > shortMax })
  try {
    if (bytes.length <= options.inlineMax) return await measuredInline(options, meter, bytes)
    return await blobContent(options, meter, metered(meter, [bytes], noMore), signal)
  } finally {
    meter.abandon()
  }
}

/** Deletes a blob that no command will ever name. */
export async function discardContent(
  { blobs, inFlight }: Pick<ContentWriterOptions, 'blobs' | 'inFlight'>,
  content: Content,
): Promise<void> {
  if (content.kind !== 'blob' || content.blob.inline) return
  try {
    await discardBlobs(blobs, [content.blob.id])
  } finally {
    inFlight.delete(content.blob.id)
  }
}

async function measuredInline(options: ContentWriterOptions, meter: Meter, bytes: Uint8Array): Promise<WrittenContent> {
  await meter.take(bytes)
  return inlineContent(options, await meter.finish(), bytes)
}

function inlineContent(
  options: ContentWriterOptions,
  { size, digests, crcs }: Measured,
  bytes: Uint8Array,
): Soon<WrittenContent> {
  if (size === 0) return { content: { kind: 'empty' }, size, digests, sideRows: [], isSettled: false }
  const { hashing, ids, seal } = options
  const blob: BlobRef = { id: ids.next(), size, inline: true, crcs }
  if (seal !== undefined)
    return seal(blob.id).then((sealing) => sealedInline(hashing, blob, { bytes, digests, sealing }))
  const sideRows = [inlineRow(hashing, blob.id, bytes)]
  return { content: { kind: 'blob', blob }, size, digests, sideRows, isSettled: false }
}

function sealedInline(
  hashing: Hashing,
  blob: BlobRef,
  { bytes, digests, sealing }: Pick<Measured, 'digests'> & { readonly bytes: Uint8Array; readonly sealing: Sealing },
): WrittenContent {
  const { sealed, wrapped, cipher } = sealing
  const sealer = new SealedBytes(cipher, hashing)
  const stored = concatBytes(sealer.seal(bytes))
  return {
    content: { kind: 'blob', blob: { ...blob, ...sealer.finish() }, sealed },
    size: bytes.length,
    digests,
    sideRows: [inlineRow(hashing, blob.id, stored), dataKeyRow(hashing, blob.id, wrapped)],
    isSettled: false,
  }
}

function inlineRow(hashing: Hashing, id: BlobId, bytes: Uint8Array): RowChange {
  const key = inlineTable.key(id)
  return { key, value: sealFrame(hashing, key, bytes) }
}

async function blobContent(
  { blobs, hashing, ids, inFlight, seal }: ContentWriterOptions,
  meter: Meter,
  source: ByteSource,
  signal: AbortSignal | undefined,
): Promise<WrittenContent> {
  const id = ids.next()
  let named = false
  try {
    const sealing = await seal?.(id)
    const sealer = sealing && new SealedBytes(sealing.cipher, hashing)
    await inFlight.add(id)
    const written = await blobs.write(id, sealer?.of(source) ?? source, signal)
    named = true
    const { digests, ...plain } = await meter.finish()
    const { size, crcs } = sealer?.finish() ?? plain
    if (written !== size) throw new StorageError('BlobFailed', `Wrote ${written} of ${size} bytes.`)
    const content = {
      kind: 'blob',
      blob: { id, size, inline: false, crcs },
      ...(sealing && { sealed: sealing.sealed }),
    } as const
    const sideRows = sealing === undefined ? [] : [dataKeyRow(hashing, id, sealing.wrapped)]
    return { content, size: plain.size, digests, sideRows, isSettled: false }
  } catch (error) {
    // A blob that cannot be deleted now is an orphan, which the sweep finds.
    if (named) await discardBlobs(blobs, [id]).catch(() => undefined)
    inFlight.delete(id)
    throw error
  }
}

/** The next chunk; `undefined` at the end. */
type NextChunk = () => Promise<Uint8Array | undefined>

/** Skips chunks without bytes. */
async function nextBytes(
  input: Interruptible,
  { turn }: Pick<ContentWriterOptions, 'turn'>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  for (;;) {
    const waits = turn?.()
    if (waits !== undefined) await waits
    signal?.throwIfAborted()
    const { value: chunk, done } = await input.next()
    if (done === true) return undefined
    if (chunk.length > 0) return chunk
  }
}

const noMore: NextChunk = async () => undefined

interface Head {
  readonly chunks: readonly Uint8Array[]
  readonly size: number
  readonly ended: boolean
}

/** Collects chunks until the source ends or more than `max` bytes are collected. */
async function gather(next: NextChunk, max: number): Promise<Head> {
  const gathered = new GrowingBytes(max)
  const chunks = () => (gathered.length === 0 ? [] : [gathered.bytes])
  for (;;) {
    const chunk = await next()
    if (chunk === undefined) return { chunks: chunks(), size: gathered.length, ended: true }
    const size = gathered.length + chunk.length
    if (size > max) return { chunks: [...chunks(), chunk], size, ended: false }
    // Copy it before the next chunk is requested, because the source may then reuse its buffer.
    gathered.push(chunk)
  }
}

/** Passes chunks on and measures them. Each chunk is written and hashed at the same time; the next waits for both. */
async function* metered(meter: Meter, head: readonly Uint8Array[], next: NextChunk): ByteSource {
  const gathered = head.values()
  const following = async () => gathered.next().value ?? next()
  for (let chunk = await following(); chunk !== undefined; chunk = await following()) {
    const taken = meter.take(chunk)
    yield chunk
    if (taken !== undefined) await taken
  }
  meter.end()
}
