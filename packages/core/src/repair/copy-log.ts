/**
 * Copies a log into another journal, with the bytes that its events name, while others write to the source. The bytes of
 * an event are there when the event is, so an interrupted copy goes on behind the last event that it copied, and one that
 * has ended follows the source with another call.
 */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Progress } from '../engine/catch-up.ts'
import { bringViews } from '../engine/open-log.ts'
import { unrestoredRow } from '../content/unrestored.ts'
import { decodeEvent } from '../events/event-codec.ts'
import type { BlobContent, RecordedEvent } from '../events/index.ts'
import { storedPages } from '../events/log.ts'
import type { BlobId, BlobStore, Hashing, Journal, RowChange, Seq, StoredEvent } from '../ports/index.ts'
import { haveSameEvent } from '../sharing/passage.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { BlobBringer } from './bring-blobs.ts'

/** A journal and its blobs. */
export interface CopiedParts {
  readonly journal: Journal
  readonly blobs: BlobStore
}

/** What a log is copied from: a journal and its blobs, or a replica. */
export interface LogSource {
  readonly journal: Pick<Journal, 'head' | 'events'>
  readonly blobs: Pick<BlobStore, 'open'>
  /** The rows of blobs, each with the event that brought it. `undefined` where there is none. */
  sideRows(kind: SideRowKind, wanted: readonly BroughtBlob[]): Promise<readonly (Uint8Array | undefined)[]>
}

/** Rows beside the log: the bytes of short blobs, and wrapped data keys. */
export type SideRowKind = 'inline' | 'keys'

/** A blob, and the event that brought it into the store. */
export interface BroughtBlob {
  readonly seq: Seq
  readonly id: BlobId
}

/** The key of a row beside the log. */
export const sideRowKey = (kind: SideRowKind, id: BlobId): Uint8Array =>
  (kind === 'inline' ? inlineTable : dataKeyTable).key(id)

/** Journals have the rows at their keys. */
export const journalSource = ({ journal, blobs }: CopiedParts): LogSource => ({
  journal,
  blobs,
  sideRows: (kind, wanted) => journal.getMany(wanted.map(({ id }) => sideRowKey(kind, id))),
})

/** What is copied, and where. */
export interface LogCopy extends Cancelable {
  readonly from: LogSource
  /** Empty, or with the first part of the same log. */
  readonly into: CopiedParts
  readonly hashing: Hashing
  /** The last event to copy. @default the last that there is now */
  readonly to?: Seq
  /** Note which bytes were not found, so that their absence is no damage. @default false */
  readonly notesAbsent?: boolean
  onProgress?(progress: Progress & { readonly stage: 'events' | 'views' }): void
}

/** What a call of `copyLog` copied. */
export interface LogCopied {
  readonly events: number
  /** Without those whose bytes are rows. */
  readonly blobs: number
  readonly bytes: number
  /** How many bytes of events are not there: erased, as long as `examine` does not miss them. */
  readonly absent: number
  /** Whose they are, of the first ones. */
  readonly absentIds: readonly BlobId[]
}

const eventsPerCommit = 500
const bytesPerCommit = 8 * 1024 * 1024

/**
 * @throws StorageError `LogCorrupt` for a damaged event, `BlobCorrupt` and the like for damaged bytes; `InvalidArgument`
 * if `into` has another log; what the ports throw; the reason of `signal`
 */
export async function copyLog(copy: LogCopy): Promise<LogCopied> {
  const { from, into, hashing, signal, onProgress } = copy
  const [to, start] = [copy.to ?? (await from.journal.head()), await into.journal.head()]
  await assertSameLog(from.journal, into.journal, start)
  const copier = new LogCopier(copy, start)
  let page: StoredEvent[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    await copier.take(page)
    page = []
    bytes = 0
    onProgress?.({ stage: 'events', done: copier.head, total: to })
  }
  if (start < to) {
    for await (const stored of storedPages(from.journal.events({ from: start + 1, to }))) {
      for (const event of stored) {
        signal?.throwIfAborted()
        bytes += event.bytes.length
        if (page.push(event) < eventsPerCommit && bytes < bytesPerCommit) continue
        await flush()
      }
    }
    if (page.length > 0) await flush()
  }
  await bringViews(
    { journal: into.journal, hashing },
    { ...(signal && { signal }), onProgress: (progress) => onProgress?.({ ...progress, stage: 'views' }) },
  )
  return copier.copied
}

async function assertSameLog(from: LogSource['journal'], into: Journal, head: Seq): Promise<void> {
  if (head === 0 || (await haveSameEvent(from, into, head))) return
  throw new StorageError('InvalidArgument', 'There is another store where this one is to go.', {
    details: { ArgumentName: 'to' },
  })
}

class LogCopier {
  readonly #copy: LogCopy
  readonly #bringer: BlobBringer
  readonly #absent = new Set<BlobId>()
  #events = 0
  head: Seq

  constructor(copy: LogCopy, head: Seq) {
    this.#copy = copy
    this.head = head
    this.#bringer = new BlobBringer({
      hashing: copy.hashing,
      signal: copy.signal,
      from: copy.from.blobs,
      into: copy.into.blobs,
      onAbsent: (id) => copy.notesAbsent === true && this.#absent.add(id),
    })
  }

  get copied(): LogCopied {
    const { blobs, bytes, absent, absentIds } = this.#bringer
    return { events: this.#events, blobs, bytes, absent, absentIds }
  }

  async take(page: readonly StoredEvent[]): Promise<void> {
    const { hashing, into } = this.#copy
    // Checks each event alone. The chain is checked when the views are made.
    const contents = page.flatMap((stored) => broughtBlob(decodeEvent(hashing, stored).event) ?? [])
    await this.#bringer.bring(contents.flatMap(({ content }) => (content.blob.inline ? [] : [content.blob])))
    const inline = contents.filter(({ content }) => content.blob.inline)
    const sealed = contents.filter(({ content }) => content.sealed !== undefined)
    const sideRows = [...(await this.#rows('inline', inline)), ...(await this.#rows('keys', sealed))]
    const rows = [...sideRows, ...[...this.#absent].map((id) => unrestoredRow(hashing, id))]
    this.#absent.clear()
    await into.journal.commit({ expectedHead: this.head, events: page.map(({ bytes }) => bytes), rows })
    this.head += page.length
    this.#events += page.length
  }

  async #rows(kind: SideRowKind, brought: readonly Brought[]): Promise<readonly RowChange[]> {
    if (brought.length === 0) return []
    const values = await this.#copy.from.sideRows(kind, brought)
    return brought.flatMap(({ id }, i) => {
      const value = values[i]
      if (value !== undefined) return [{ key: sideRowKey(kind, id), value }]
      this.#bringer.isAbsent(id)
      return []
    })
  }
}

/** A blob that an event brought, with what the event says of it. */
export interface Brought extends BroughtBlob {
  readonly content: BlobContent
}

/** The blob that the event brings into the store. A copy shares one that an earlier event brought. */
export function broughtBlob({ seq, data }: RecordedEvent): Brought | undefined {
  if (!('content' in data) || data.content.kind !== 'blob' || 'copiedFrom' in data) return undefined
  return { seq, id: data.content.blob.id, content: data.content }
}
