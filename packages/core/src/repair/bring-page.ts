/** Brings what events brought into their store: blobs at once, and the rows beside the log for the commit of the events. */
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { BlobId, BlobStore, Hashing, RowChange, SideRowKind } from '../ports/index.ts'
import { unrestoredRow } from '../content/unrestored.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import { BlobBringer } from './bring-blobs.ts'
import type { LogSource } from './log-source.ts'

interface PageBringing {
  readonly from: LogSource
  readonly into: Pick<BlobStore, 'open' | 'write'>
  readonly hashing: Hashing
  readonly signal?: AbortSignal | undefined
  /** Note which bytes were not found, so that their absence is no damage. @default false */
  readonly notesAbsent?: boolean
  /** Leave blobs that are not rows where they are. @default false */
  readonly leavesBlobs?: boolean
}

/** What was brought. */
export interface BroughtCount {
  /** Without those whose bytes are rows. */
  readonly blobs: number
  readonly bytes: number
  /** How many bytes of events are not there: erased, as long as `examine` does not miss them. */
  readonly absent: number
  /** Whose they are, of the first ones. */
  readonly absentIds: readonly BlobId[]
}

export class PageBringer {
  readonly #from: LogSource
  readonly #bringer: BlobBringer
  readonly #hashing: Hashing
  readonly #leavesBlobs: boolean
  readonly #absent = new Set<BlobId>()

  constructor({ from, notesAbsent = false, leavesBlobs = false, ...bringing }: PageBringing) {
    this.#from = from
    this.#leavesBlobs = leavesBlobs
    this.#hashing = bringing.hashing
    const onAbsent = (id: BlobId): void => void (notesAbsent && this.#absent.add(id))
    this.#bringer = new BlobBringer({ ...bringing, from: from.blobs, others: from.otherBlobs, onAbsent })
  }

  get brought(): BroughtCount {
    const { blobs, bytes, absent, absentIds } = this.#bringer
    return { blobs, bytes, absent, absentIds }
  }

  /**
   * The rows to commit with these events. Their blobs are there when it resolves, unless they are left.
   * @throws StorageError `BlobCorrupt` and the like for damaged bytes; what the source and the blob store throw; the reason of the signal
   */
  async bring(events: readonly RecordedEvent[]): Promise<readonly RowChange[]> {
    const contents = events.flatMap((event) => broughtBlob(event) ?? []).filter((brought) => this.#isCopied(brought))
    const blobs = contents.flatMap(({ content }) => (content.blob.inline ? [] : [content.blob]))
    if (!this.#leavesBlobs) await this.#bringer.bring(blobs)
    const inline = contents.filter(({ content }) => content.blob.inline)
    const sealed = contents.filter(({ content }) => content.sealed !== undefined)
    const rows = [...(await this.#rows('inline', inline)), ...(await this.#rows('keys', sealed))]
    for (const id of this.#absent) rows.push(unrestoredRow(this.#hashing, id))
    this.#absent.clear()
    return rows
  }

  #isCopied({ id }: Brought): boolean {
    if (this.#from.leftOut?.has(id) !== true) return true
    this.#absent.add(id)
    return false
  }

  async #rows(kind: SideRowKind, brought: readonly Brought[]): Promise<readonly RowChange[]> {
    if (brought.length === 0) return []
    const values = await this.#from.sideRows(kind, brought)
    return brought.flatMap(({ id }, i) => {
      const value = values[i]
      if (value !== undefined) return [{ key: sideRowKey(kind, id), value }]
      this.#bringer.isAbsent(id)
      return []
    })
  }
}
