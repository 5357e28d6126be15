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

export interface WrittenContent {
  readonly content: Content
  readonly size: number
  readonly digests: ReadonlyMap<DigestAlgorithm, Uint8Array>
  /** Rows to commit with the command: the bytes themselves when they ride inline. */
  readonly cargo: readonly RowChange[]
}

export interface ContentWriterOptions {
  readonly blobs: BlobStore
  readonly hashing: Hashing
  readonly ids: Ids
  /** Up to this many bytes ride in the journal. */
  readonly inlineMax: number
  /** Blobs that are written and not yet committed: the sweep leaves them alone. */
  readonly inFlight: Set<BlobId>
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
  const iterator = meter.watch(source, signal)[Symbol.asyncIterator]()
  try {
    const head = await gather(iterator, options.inlineMax)
    if (head.ended) return inlineContent(options, meter, concatBytes(head.chunks))
    return await blobContent(options, meter, resume(head.chunks, iterator), signal)
  } finally {
    await iterator.return?.(undefined)
  }
}

/** Forgets a blob no command will ever name. */
export async function discardContent(
  { blobs, inFlight }: Pick<ContentWriterOptions, 'blobs' | 'inFlight'>,
  content: Content,
): Promise<void> {
  if (content.kind !== 'blob' || content.blob.inline) return
  await blobs.delete([content.blob.id])
  inFlight.delete(content.blob.id)
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
  inFlight.add(id)
  try {
    const written = await blobs.write(id, source, signal)
    const { size, digests, crcs } = meter.finish()
    if (written !== size) throw new StorageError('BlobFailed', `Wrote ${written} of ${size} bytes.`)
    return { content: { kind: 'blob', blob: { id, size, inline: false, crcs } }, size, digests, cargo: [] }
  } catch (error) {
    inFlight.delete(id)
    throw error
  }
}

/** Takes chunks until the source ends or more than `max` bytes are there. */
async function gather(
  iterator: AsyncIterator<Uint8Array>,
  max: number,
): Promise<{ chunks: Uint8Array[]; ended: boolean }> {
  const chunks: Uint8Array[] = []
  for (let size = 0; size <= max; ) {
    const { value, done } = await iterator.next()
    if (done === true) return { chunks, ended: true }
    chunks.push(value)
    size += value.length
  }
  return { chunks, ended: false }
}

async function* resume(chunks: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): ByteSource {
  yield* chunks
  for (;;) {
    const { value, done } = await rest.next()
    if (done === true) return
    yield value
  }
}

/** Counts and hashes what passes. */
class Meter {
  readonly #digests: ReadonlyMap<DigestAlgorithm, Digest>
  readonly #crcs: CrcChunks
  #size = 0

  constructor(hashing: Hashing, algorithms: readonly DigestAlgorithm[]) {
    this.#digests = new Map(algorithms.map((algorithm) => [algorithm, hashing.create(algorithm)]))
    this.#crcs = new CrcChunks(hashing)
  }

  async *watch(source: ByteSource, signal: AbortSignal | undefined): ByteSource {
    for await (const chunk of source) {
      signal?.throwIfAborted()
      if (chunk.length === 0) continue
      this.#size += chunk.length
      if (this.#size > limits.uploadSizeMax) throw tooLarge()
      this.#crcs.update(chunk)
      for (const digest of this.#digests.values()) digest.update(chunk)
      yield chunk
    }
  }

  finish(): { size: number; digests: ReadonlyMap<DigestAlgorithm, Uint8Array>; crcs: string } {
    const digests = new Map([...this.#digests].map(([algorithm, digest]) => [algorithm, digest.finish()]))
    return { size: this.#size, digests, crcs: this.#crcs.finish() }
  }
}

const tooLarge = (): StorageError =>
  new StorageError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    details: { MaxSizeAllowed: limits.uploadSizeMax },
  })
