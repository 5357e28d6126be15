/** Copies blobs into another blob store, several at once, and leaves out those that are there. */
import type { StorageError } from '../base/errors.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import type { BlobRef } from '../events/index.ts'
import type { BlobId, BlobStore, Hashing } from '../ports/index.ts'
import { copyBlob } from './copy-blob.ts'
import { isBlobThere } from './is-blob-there.ts'

interface Bringing {
  readonly from: Pick<BlobStore, 'open'>
  /** Asked in turn for what `from` lacks, or has damaged. @default none */
  readonly others?: readonly Pick<BlobStore, 'open'>[] | undefined
  readonly into: Pick<BlobStore, 'open' | 'write'>
  readonly hashing: Hashing
  readonly signal?: AbortSignal | undefined
  /** Called with each blob that was not found. */
  onAbsent?(id: BlobId): void
}

/** A server of blobs takes its time for each. */
const blobsAtOnce = 8
const absentIdsMax = 1000

export class BlobBringer {
  readonly #bringing: Bringing
  readonly #buffers = new RunBuffers()
  /** Those that were copied. */
  blobs = 0
  bytes = 0
  /** How many were not found. */
  absent = 0
  /** Whose they are, of the first ones. */
  readonly absentIds: BlobId[] = []

  constructor(bringing: Bringing) {
    this.#bringing = bringing
  }

  /** @throws StorageError `BlobCorrupt` and the like for damaged bytes; what the stores throw; the reason of the signal */
  async bring(blobs: readonly BlobRef[]): Promise<void> {
    for (let at = 0; at < blobs.length; at += blobsAtOnce) {
      this.#bringing.signal?.throwIfAborted()
      await settled(blobs.slice(at, at + blobsAtOnce).map((blob) => this.#bring(blob)))
    }
  }

  /** Counts bytes that were not found. */
  isAbsent(id: BlobId): void {
    this.absent++
    this.#bringing.onAbsent?.(id)
    if (this.absentIds.length < absentIdsMax) this.absentIds.push(id)
  }

  async #bring(blob: BlobRef): Promise<void> {
    if (await isBlobThere(this.#bringing.into, blob)) return
    const fault = await this.#copy(blob)
    if (fault?.code === 'BlobMissing') this.isAbsent(blob.id)
    else if (fault !== undefined) throw fault
    else {
      this.blobs++
      this.bytes += blob.size
    }
  }

  /** If no source has the blob whole, damage is reported rather than absence. */
  async #copy(blob: BlobRef): Promise<StorageError | undefined> {
    const { from, others = [] } = this.#bringing
    let worst: StorageError | undefined
    for (const source of [from, ...others]) {
      const fault = await copyBlob({ ...this.#bringing, from: source, buffers: this.#buffers }, blob)
      if (fault === undefined) return undefined
      if (worst === undefined || worst.code === 'BlobMissing') worst = fault
    }
    return worst
  }
}

/** Waits for all, so that nothing goes on behind a failure. */
async function settled(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason
}
