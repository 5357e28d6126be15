/**
 * Brings the blobs of an open store that are still elsewhere into its own medium: those that were read first, then all others in the
 * order of the log. Nothing that was erased is brought back.
 */
import type { Cancelable } from '../api/types/index.ts'
import { isStorageError, type StorageError } from '../base/errors.ts'
import { isUnrestored } from '../content/unrestored.ts'
import type { Engine } from '../engine/engine.ts'
import { engineOf } from '../engine/engine-of.ts'
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import { decodeEvent } from '../events/event-codec.ts'
import { readEvent, storedPages } from '../events/log.ts'
import { isNeeded } from '../reads/is-needed.ts'
import type { BlobId, BlobStore, Seq } from '../ports/index.ts'
import { BlobBringer } from '../repair/bring-blobs.ts'
import { blobTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'

/** Where blobs come from, and where they go. */
export interface BlobFilling extends Cancelable {
  readonly from: Pick<BlobStore, 'open'>
  /** Asked in turn for what `from` lacks, or has damaged. @default none */
  readonly others?: readonly Pick<BlobStore, 'open'>[]
  readonly into: Pick<BlobStore, 'open' | 'write'>
  /** The last event whose blob can be elsewhere. */
  readonly to: Seq
  /** Blobs that are to come first, which others add. They are taken out. */
  readonly wanted: Set<BlobId>
  /** Called with the last event whose blob has been looked for. */
  onProgress?(position: Seq): void
}

/** What a call of `fillBlobs` brought. */
export interface BlobsFilled {
  readonly blobs: number
  readonly bytes: number
  /** How many the source has lost: no event says that they were erased. */
  readonly absent: number
}

/** Sweeps wait for so many at most. */
const blobsAtOnce = 8

/**
 * @throws StorageError `BlobCorrupt` if some are damaged in all sources, when it has brought all others; `BlobFailed` and what the
 * ports throw; `StoreClosed`; the reason of `signal`
 */
export async function fillBlobs(store: { readonly owner: unknown }, filling: BlobFilling): Promise<BlobsFilled> {
  const filler = new Filler(engineOf(store), filling)
  await filler.run()
  return filler.filled
}

class Filler {
  readonly #engine: Engine
  readonly #filling: BlobFilling
  readonly #bringer: BlobBringer
  #damage: StorageError | undefined

  constructor(engine: Engine, filling: BlobFilling) {
    this.#engine = engine
    this.#filling = filling
    const { hashing } = engine.ports
    this.#bringer = new BlobBringer({ ...filling, hashing })
  }

  get filled(): BlobsFilled {
    const { blobs, bytes, absent } = this.#bringer
    return { blobs, bytes, absent }
  }

  async run(): Promise<void> {
    const { to, onProgress, signal } = this.#filling
    const { journal, hashing } = this.#engine.ports
    for await (const page of storedPages(journal.events({ from: 1, to }))) {
      const brought = page.flatMap((stored) => broughtBlob(decodeEvent(hashing, stored).event) ?? []).filter(isBlob)
      for (let at = 0; at < brought.length; at += blobsAtOnce) {
        await this.#bringWanted()
        await this.#bring(brought.slice(at, at + blobsAtOnce))
      }
      signal?.throwIfAborted()
      onProgress?.(page.at(-1)?.seq ?? to)
    }
    if (this.#damage !== undefined) throw this.#damage
  }

  async #bringWanted(): Promise<void> {
    const { wanted } = this.#filling
    const { journal, hashing } = this.#engine.ports
    for (const id of wanted) {
      wanted.delete(id)
      const named = await this.#engine.withSnapshot((rows) => committedRows(rows, hashing).get(blobTable.key(id)))
      const brought = named && broughtBlob((await readEvent({ journal, hashing }, named.by)).event)
      if (brought?.id === id) await this.#bring([brought])
    }
  }

  /** Nothing is erased meanwhile, or what is gone for good could come back. */
  async #bring(brought: readonly Brought[]): Promise<void> {
    const release = this.#engine.beginRead(0)
    try {
      await this.#engine.erased(0)
      const brings = await Promise.allSettled(brought.map((one) => this.#bringOne(one)))
      for (const bring of brings) if (bring.status === 'rejected') throw bring.reason
    } finally {
      release()
    }
  }

  async #bringOne({ content: { blob } }: Brought): Promise<void> {
    this.#filling.signal?.throwIfAborted()
    const { hashing } = this.#engine.ports
    const damaged = { what: 'blob', blob } as const
    const isSought = await this.#engine.withSnapshot(
      async (rows) => (await isNeeded(rows, hashing, damaged, true)) && !(await isUnrestored(rows, hashing, blob.id)),
    )
    if (!isSought) return
    try {
      await this.#bringer.bring([blob])
    } catch (error) {
      if (!isStorageError(error, 'BlobCorrupt')) throw error
      this.#damage ??= error
    }
  }
}

const isBlob = ({ content }: Brought): boolean => !content.blob.inline
