/** A store whose blobs are still in replicas, because an instant restore left them there: it reads them there, and is filled meanwhile. */
import {
  backedBlobs,
  type BlobHandle,
  type BlobId,
  type BlobStore,
  type DivergenceKind,
  fillBlobs,
  isStorageError,
  openBacked,
  type Jobs,
  type Keyring,
  type Store,
  StorageError,
} from '@varve/core'
import { restAfter } from '../jobs/rest-after.ts'
import { type FillingNote, heldBy, removeFillingNote } from './filling-note.ts'
import { FillingSource } from './filling-source.ts'
import { replicaAt, withKeys } from './replica-address.ts'
import { type ReplicaCopies, replicaCopies } from './replica-copies.ts'

/** More blobs than this do not come first. */
const wantedMax = 1000
const job = 'filling'

type Source = Pick<BlobStore, 'open'>

export class Filling {
  readonly #dir: string
  readonly #note: FillingNote
  readonly #copies: ReplicaCopies
  readonly #sources: readonly Source[]
  readonly #wanted = new Set<BlobId>()
  #own: BlobStore | undefined
  #isFilled = false

  constructor(dir: string, note: FillingNote, keyring: Keyring | undefined) {
    this.#dir = dir
    this.#note = note
    this.#copies = replicaCopies(note.from.map((address) => withKeys(replicaAt(address), { keyring })))
    const withheld = new Set(note.withheld)
    this.#sources = this.#copies.copies.map((copy, n) => {
      const source = new FillingSource(copy, heldBy(note, n))
      return { open: (id) => (withheld.has(id) ? Promise.reject(missing(id)) : source.open(id)) }
    })
  }

  /** The blobs of the store: its own, and those that are still elsewhere. */
  over(own: BlobStore): BlobStore {
    this.#own = own
    return backedBlobs({ blobs: own, ...this.#source() })
  }

  /** As `over`, for blobs that are only read. */
  reading(own: Source): Source {
    return { open: (id) => openBacked({ blobs: own, ...this.#source() }, id) }
  }

  /**
   * Brings what is not there yet, and tries again with growing pauses. Resolves when all is there, and when the store is closed. Why it
   * does not go on is in the status of the job.
   */
  async run(store: Store, jobs: Jobs): Promise<void> {
    const { signal } = jobs
    for (let failures = 1; !signal.aborted && store.state !== 'closed'; failures++) {
      try {
        if (store.state === 'open') return await jobs.run(job, () => this.#fill(store, jobs))
      } catch {
        // The status of the job has it.
      }
      await restAfter(failures, signal)
    }
  }

  close(): Promise<void> {
    return this.#copies.close()
  }

  async #fill(store: Store, jobs: Jobs): Promise<void> {
    const [from, ...others] = this.#sources
    const { to } = this.#note
    if (from === undefined || this.#own === undefined) return
    jobs.noteProgress(job, { position: 0, head: to })
    const { absent } = await fillBlobs(store, {
      from,
      others,
      into: this.#own,
      to,
      wanted: this.#wanted,
      signal: jobs.signal,
      onProgress: (position) => jobs.noteProgress(job, { position, head: to }),
    })
    await assertViews(store, jobs.signal)
    if (absent > 0) jobs.noteError(job, notThere(absent))
    await removeFillingNote(this.#dir)
    this.#isFilled = true
  }

  #source() {
    return { source: { open: (id: BlobId) => this.#open(id) }, onRead: (id: BlobId) => this.#want(id) }
  }

  async #open(id: BlobId): Promise<BlobHandle> {
    let failure: unknown = missing(id)
    for (const source of this.#isFilled ? [] : this.#sources) {
      try {
        return await source.open(id)
      } catch (error) {
        if (!isStorageError(error, 'BlobMissing')) failure = error
      }
    }
    throw failure
  }

  #want(id: BlobId): void {
    if (this.#wanted.size < wantedMax) this.#wanted.add(id)
  }
}

const ofRows: readonly DivergenceKind[] = ['RowMissing', 'RowUnexpected', 'RowDiffers', 'RowCorrupt']

/** The restore believed the views of the replica. What the log makes of itself decides. @throws StorageError `RowCorrupt` */
async function assertViews(store: Store, signal: AbortSignal): Promise<void> {
  const { divergences } = await store.verify({ blobs: 'skip', signal })
  const [first] = divergences.filter(({ kind }) => ofRows.includes(kind))
  if (first === undefined) return
  const message = 'The replica had rows that are not what the log makes of them. Make the views again: varve rebuild.'
  throw new StorageError('RowCorrupt', message, { details: first.key === undefined ? {} : { key: first.key } })
}

const missing = (blob: BlobId): StorageError =>
  new StorageError('BlobMissing', 'The replicas do not have these bytes.', { details: { blob } })

const notThere = (count: number): StorageError =>
  new StorageError(
    'BlobMissing',
    `${count} contents are lost: the replicas do not have them, and no event says that they were erased.`,
    {
      details: { count },
    },
  )
