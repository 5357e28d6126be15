/**
 * Copies a log into another journal, with the bytes that its events name, while others write to the source. The bytes of
 * an event are there when the event is, so an interrupted copy goes on behind the last event that it copied, and one that
 * has ended follows the source with another call.
 */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Progress } from '../engine/catch-up.ts'
import { bringViews } from '../engine/open-log.ts'
import { decodeEvent } from '../events/event-codec.ts'
import type { BlobContent, RecordedEvent } from '../events/index.ts'
import { storedPages } from '../events/log.ts'
import type { BlobId, BlobStore, Hashing, Journal, RowChange, Seq, StoredEvent } from '../ports/index.ts'
import { haveSameEvent } from '../sharing/passage.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { copyBlob } from './copy-blob.ts'
import { isBlobThere } from './is-blob-there.ts'

/** A journal and its blobs. */
export interface CopiedParts {
  readonly journal: Journal
  readonly blobs: BlobStore
}

/** What is copied, and where. */
export interface LogCopy extends Cancelable {
  readonly from: CopiedParts
  /** Empty, or with the first part of the same log. */
  readonly into: CopiedParts
  readonly hashing: Hashing
  /** The last event to copy. @default the last that there is now */
  readonly to?: Seq
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
/** Blobs that are copied at once: a server of blobs takes its time for each. */
const blobsAtOnce = 8
const absentIdsMax = 1000

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

async function assertSameLog(from: Journal, into: Journal, head: Seq): Promise<void> {
  if (head === 0 || (await haveSameEvent(from, into, head))) return
  throw new StorageError('InvalidArgument', 'There is another store where this one is to go.', {
    details: { ArgumentName: 'to' },
  })
}

class LogCopier {
  readonly #copy: LogCopy
  readonly copied = { events: 0, blobs: 0, bytes: 0, absent: 0, absentIds: [] as BlobId[] }
  head: Seq

  constructor(copy: LogCopy, head: Seq) {
    this.#copy = copy
    this.head = head
  }

  async take(page: readonly StoredEvent[]): Promise<void> {
    const { hashing, into, signal } = this.#copy
    // Checks each event alone. The chain is checked when the views are made.
    const contents = page.flatMap((stored) => blobOf(decodeEvent(hashing, stored).event) ?? [])
    const inline = contents.filter(({ blob }) => blob.inline)
    const sealed = contents.filter((content) => content.sealed !== undefined)
    const stored = contents.filter(({ blob }) => !blob.inline)
    for (let at = 0; at < stored.length; at += blobsAtOnce) {
      signal?.throwIfAborted()
      await settled(stored.slice(at, at + blobsAtOnce).map((content) => this.#bring(content)))
    }
    const ids = (some: readonly BlobContent[]) => new Set(some.map(({ blob }) => blob.id))
    const rows = [
      ...(await this.#rows([...ids(inline)], inlineTable.key)),
      ...(await this.#rows([...ids(sealed)], dataKeyTable.key)),
    ]
    await into.journal.commit({ expectedHead: this.head, events: page.map(({ bytes }) => bytes), rows })
    this.head += page.length
    this.copied.events += page.length
  }

  async #bring({ blob }: BlobContent): Promise<void> {
    const { from, into, hashing, signal } = this.#copy
    if (await isBlobThere(into.blobs, blob)) return
    const fault = await copyBlob({ from: from.blobs, into: into.blobs, rows: from.journal, hashing, signal }, blob)
    if (fault?.code === 'BlobMissing') this.#isAbsent(blob.id)
    else if (fault !== undefined) throw fault
    else {
      this.copied.blobs++
      this.copied.bytes += blob.size
    }
  }

  async #rows(ids: readonly BlobId[], keyOf: (id: BlobId) => Uint8Array): Promise<readonly RowChange[]> {
    if (ids.length === 0) return []
    const keys = ids.map(keyOf)
    const values = await this.#copy.from.journal.getMany(keys)
    return ids.flatMap((id, i) => {
      const [key, value] = [keys[i], values[i]]
      if (key !== undefined && value !== undefined) return [{ key, value }]
      this.#isAbsent(id)
      return []
    })
  }

  #isAbsent(id: BlobId): void {
    this.copied.absent++
    if (this.copied.absentIds.length < absentIdsMax) this.copied.absentIds.push(id)
  }
}

/** Waits for all, so that nothing goes on behind a failure. */
async function settled(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason
}

/** The bytes that the event brings into the store. */
const blobOf = ({ data }: RecordedEvent): BlobContent | undefined =>
  'content' in data && data.content.kind === 'blob' ? data.content : undefined
