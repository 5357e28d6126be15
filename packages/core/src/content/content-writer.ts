/**
 * Bytes on their way in: hashed once while they pass, small ones gathered to ride in the journal, others written to
 * the blob store. Nothing here is visible to anyone until a command names it.
 */
import { sealFrame } from '../bytes/frame.ts'
import { concatBytes } from '../bytes/bytes.ts'
import { StorageError } from '../errors.ts'
import type { Content } from '../events/index.ts'
import { limits } from '../limits.ts'
import type { BlobId, BlobStore, ByteSource, Digest, DigestAlgorithm, Hashing, Ids, RowChange } from '../ports/index.ts'
import { inlineTable } from '../views/tables.ts'
import { CrcChunks } from './crc-chunks.ts'
import { type Interruptible, interruptible, unlessAborted } from './interruptible.ts'

export interface WrittenContent {
  readonly content: Content
  readonly size: number
  readonly digests: ReadonlyMap<DigestAlgorithm, Uint8Array>
  /** Rows to commit with the command: the bytes themselves when they ride inline. */
  readonly cargo: readonly RowChange[]
}

/** Blobs that are written and not yet committed: the sweep leaves them alone. */
export interface BlobMarks {
  /** What it returns is waited for before the blob gets a name. */
  add(id: BlobId): unknown
  delete(id: BlobId): unknown
}

export interface ContentWriterOptions {
  readonly blobs: BlobStore
  readonly hashing: Hashing
  readonly ids: Ids
  /** Up to this many bytes ride in the journal. */
  readonly inlineMax: number
  readonly inFlight: BlobMarks
}

/**
 * @throws StorageError `EntityTooLarge` past 5 GiB, `NoSpace` or `BlobFailed` from the blob store; whatever the source
 * throws passes through.
 */
export async function writeContent(
  options: ContentWriterOptions,
  source: ByteSource,
  algorithms: readonly DigestAlgorithm[],
  signal?: AbortSignal,
): Promise<WrittenContent> {
  signal?.throwIfAborted()
  const meter = new Meter(options.hashing, algorithms)
  const input = interruptible(source, unlessAborted(signal))
  const next = () => {
    signal?.throwIfAborted()
    return meter.next(input)
  }
  try {
    const head = await gather(next, options.inlineMax)
    if (head.ended) return inlineContent(options, meter, concatBytes(head.chunks))
    return await blobContent(options, meter, resume(head.chunks, next), signal)
  } finally {
    await input.end()
  }
}

/** Forgets a blob no command will ever name. */
export async function discardContent(
  { blobs, inFlight }: Pick<ContentWriterOptions, 'blobs' | 'inFlight'>,
  content: Content,
): Promise<void> {
  if (content.kind !== 'blob' || content.blob.inline) return
  try {
    await blobs.delete([content.blob.id])
  } finally {
    inFlight.delete(content.blob.id)
  }
}

function inlineContent(options: ContentWriterOptions, meter: Meter, bytes: Uint8Array): WrittenContent {
  const { size, digests, crcs } = meter.finish()
  if (size === 0) return { content: { kind: 'empty' }, size, digests, cargo: [] }
  const id = options.ids.next()
  const key = inlineTable.key(id)
  const cargo = [{ key, value: sealFrame(options.hashing, key, bytes) }]
  return { content: { kind: 'blob', blob: { id, size, inline: true, crcs } }, size, digests, cargo }
}

async function blobContent(
  { blobs, ids, inFlight }: ContentWriterOptions,
  meter: Meter,
  source: ByteSource,
  signal: AbortSignal | undefined,
): Promise<WrittenContent> {
  const id = ids.next()
  try {
    await inFlight.add(id)
    const written = await blobs.write(id, source, signal)
    const { size, digests, crcs } = meter.finish()
    if (written !== size) throw new StorageError('BlobFailed', `Wrote ${written} of ${size} bytes.`)
    return { content: { kind: 'blob', blob: { id, size, inline: false, crcs } }, size, digests, cargo: [] }
  } catch (error) {
    inFlight.delete(id)
    throw error
  }
}

/** The next chunk; `undefined` at the end. */
type NextChunk = () => Promise<Uint8Array | undefined>

/** Takes chunks until the source ends or more than `max` bytes are there. */
async function gather(next: NextChunk, max: number): Promise<{ chunks: Uint8Array[]; ended: boolean }> {
  const chunks: Uint8Array[] = []
  let chunk: Uint8Array | undefined
  for (let size = 0; size <= max; size += chunk.length) {
    // What is kept is copied before more is asked for: then the source may use its buffer again.
    if (chunk !== undefined) chunks.push(Uint8Array.from(chunk))
    chunk = await next()
    if (chunk === undefined) return { chunks, ended: true }
  }
  if (chunk !== undefined) chunks.push(chunk)
  return { chunks, ended: false }
}

async function* resume(chunks: readonly Uint8Array[], next: NextChunk): ByteSource {
  yield* chunks
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk
}

/** Counts and hashes what passes. Its CRC-32 is taken once, run by run. */
class Meter {
  readonly #algorithms: readonly DigestAlgorithm[]

  readonly #digests: ReadonlyMap<DigestAlgorithm, Digest>
  readonly #crcs: CrcChunks
  #size = 0

  constructor(hashing: Hashing, algorithms: readonly DigestAlgorithm[]) {
    this.#algorithms = algorithms
    const made = algorithms.filter((algorithm) => algorithm !== 'CRC32')
    this.#digests = new Map(made.map((algorithm) => [algorithm, hashing.create(algorithm)]))
    this.#crcs = new CrcChunks(hashing)
  }

  /** The next chunk that has bytes, counted in. */
  async next(input: Interruptible): Promise<Uint8Array | undefined> {
    for (;;) {
      const { value: chunk, done } = await input.next()
      if (done === true) return undefined
      if (chunk.length === 0) continue
      this.#size += chunk.length
      if (this.#size > limits.uploadSizeMax) throw tooLarge()
      this.#crcs.update(chunk)
      for (const digest of this.#digests.values()) digest.update(chunk)
      return chunk
    }
  }

  finish(): { size: number; digests: ReadonlyMap<DigestAlgorithm, Uint8Array>; crcs: string } {
    const crcs = this.#crcs.finish()
    const digests = new Map([...this.#digests].map(([algorithm, digest]) => [algorithm, digest.finish()]))
    if (this.#algorithms.includes('CRC32')) digests.set('CRC32', this.#crcs.whole())
    return { size: this.#size, digests, crcs }
  }
}

const tooLarge = (): StorageError =>
  new StorageError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    details: { MaxSizeAllowed: limits.uploadSizeMax },
  })
