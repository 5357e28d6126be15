/**
 * Removes blobs of a replica that no event names: a process that ended, or a request that was carried out late, has left them. It lists a
 * few at a time. A blob goes when two passes have found it, which are hours apart: a younger one may be written just now.
 */
import { readLogPages } from '../events/log.ts'
import type { BlobId, Hashing, Seq } from '../ports/index.ts'
import { broughtBlob } from '../events/brought-blob.ts'
import { blobTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { ReplicaPorts } from './replica-reader.ts'
import type { ReplicatedStore, Replicator } from './replicator.ts'

export interface OrphanSearch {
  readonly from: ReplicatedStore
  readonly into: Pick<ReplicaPorts, 'blobs'>
  readonly hashing: Hashing
  readonly replicator: Pick<Replicator, 'assertGoesOn'>
  /** From one pass to the next, in milliseconds. @default 6 hours */
  readonly everyMs?: number
  /** The time of the log, in milliseconds since the Unix epoch. */
  now(): number
}

const defaultEveryMs = 6 * 3_600_000
/** So many blobs are looked at in one step. */
const listedAtOnce = 1000
/** The log is read once for so many that no row names. */
const candidatesMax = 100_000
const deletedAtOnce = 1000

/** Removes blobs of a replica that no event names, slowly: what a cut write left. */
export class ReplicaOrphans {
  readonly #search: OrphanSearch
  #listing: AsyncIterator<BlobId> | undefined
  #nextPassAt: number
  #candidates = new Set<BlobId>()
  /** What this pass, and the one before, have found. */
  #found = new Set<BlobId>()
  #foundBefore: ReadonlySet<BlobId> = new Set()

  constructor(search: OrphanSearch) {
    this.#search = search
    this.#nextPassAt = search.now() + this.#everyMs
  }

  get #everyMs(): number {
    return this.#search.everyMs ?? defaultEveryMs
  }

  /** Looks at the next blobs. Resolves with how many were removed. @throws StorageError `ReplicaHeld`; what the ports throw */
  async step(): Promise<number> {
    const { from, hashing, into, now } = this.#search
    if (this.#listing === undefined && now() < this.#nextPassAt) return 0
    this.#listing ??= into.blobs.list()[Symbol.asyncIterator]()
    const rows = committedRows(from.journal, hashing)
    for (let n = 0; n < listedAtOnce; n++) {
      const next = await this.#nextListed(this.#listing)
      if (next === undefined) return this.#endPass()
      if ((await rows.get(blobTable.key(next))) === undefined) this.#candidates.add(next)
    }
    return this.#candidates.size < candidatesMax ? 0 : this.#judge()
  }

  /** A listing that fails begins again with the next pass. */
  async #nextListed(listing: AsyncIterator<BlobId>): Promise<BlobId | undefined> {
    try {
      const { done, value } = await listing.next()
      return done === true ? undefined : value
    } catch (error) {
      this.#listing = undefined
      this.#candidates = new Set()
      this.#found = new Set()
      this.#nextPassAt = this.#search.now() + this.#everyMs
      throw error
    }
  }

  async #endPass(): Promise<number> {
    const removed = await this.#judge()
    this.#foundBefore = this.#found
    this.#found = new Set()
    this.#listing = undefined
    this.#nextPassAt = this.#search.now() + this.#everyMs
    return removed
  }

  /** Also what was erased in the store was named, and stays in the replica. */
  async #judge(): Promise<number> {
    const candidates = this.#candidates
    this.#candidates = new Set()
    if (candidates.size === 0) return 0
    const { from, hashing } = this.#search
    const log = { journal: from.journal, hashing }
    const to: Seq = await from.journal.head()
    for await (const page of readLogPages(log, { to }))
      for (const { event } of page) candidates.delete(broughtBlob(event)?.id ?? '')
    const due: BlobId[] = []
    for (const id of candidates) {
      if (this.#foundBefore.has(id)) due.push(id)
      else if (this.#found.size < candidatesMax) this.#found.add(id)
    }
    for (let at = 0; at < due.length; at += deletedAtOnce) await this.#delete(due.slice(at, at + deletedAtOnce))
    return due.length
  }

  async #delete(ids: readonly BlobId[]): Promise<void> {
    await this.#search.replicator.assertGoesOn()
    await this.#search.into.blobs.delete(ids)
  }
}
