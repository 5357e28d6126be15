/** Writes one incoming blob: into a segment if it stays small, into a file otherwise. */
import { type BlobId, type BlobStore, type ByteSource, type Interruptible, interruptible } from '@varve/core'
import type { Cancellation } from '../blobs/cancellation.ts'
import { GatheredBytes, type GatherMemory } from './gathered-bytes.ts'
import type { SegmentStore } from './segment-store.ts'

export interface Tiers {
  readonly segments: SegmentStore
  readonly files: BlobStore
  readonly memory: GatherMemory
  readonly segmentMax: number
}

export interface Incoming {
  readonly id: BlobId
  readonly source: ByteSource
  readonly signal: AbortSignal | undefined
}

/** Resolves with the number of bytes when they are durable. */
export async function takeBlob(tiers: Tiers, { id, source, signal }: Incoming, cancel: Cancellation): Promise<number> {
  const { segments, files, memory, segmentMax } = tiers
  const input = interruptible(source, cancel.wait)
  const gathered = new GatheredBytes(memory, segmentMax)
  try {
    const rest = await gather(input, gathered, cancel)
    cancel.throwIfCancelled()
    const record = rest === undefined ? gathered.record() : undefined
    if (record !== undefined) return await segments.write(id, record)
    return await files.write(id, continued(gathered, rest, input), signal)
  } finally {
    gathered.release()
    await input.end()
  }
}

/** Resolves with the first chunk that did not fit, or `undefined` when all did. */
async function gather(
  input: Interruptible,
  gathered: GatheredBytes,
  cancel: Cancellation,
): Promise<Uint8Array | undefined> {
  for (;;) {
    const { value, done } = await input.next()
    if (done === true) return undefined
    cancel.throwIfCancelled()
    if (!gathered.add(value)) return value
  }
}

/** The whole source: the gathered bytes, then the rest. */
async function* continued(gathered: GatheredBytes, rest: Uint8Array | undefined, input: Interruptible): ByteSource {
  yield gathered.bytes
  gathered.release()
  if (rest === undefined) return
  yield rest
  for (;;) {
    const { value, done } = await input.next()
    if (done === true) return
    yield value
  }
}
