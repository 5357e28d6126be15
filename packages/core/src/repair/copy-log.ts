/**
 * Copies a log into another journal, with the bytes that its events name, while others write to the source. The bytes of
 * an event are there when the event is, so an interrupted copy goes on behind the last event that it copied, and one that
 * has ended follows the source with another call.
 */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Progress } from '../engine/catch-up.ts'
import { bringViews } from '../engine/open-log.ts'
import { broughtBlob } from '../events/brought-blob.ts'
import { decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import { linkedPages, tipAt } from '../events/log.ts'
import type { Hashing, Journal, Seq, StoredEvent } from '../ports/index.ts'
import { haveSameEvent } from '../sharing/passage.ts'
import { bringStoredViews } from './bring-stored-views.ts'
import { type BroughtCount, PageBringer } from './bring-page.ts'
import { CopiedErasures } from './copied-erasures.ts'
import type { CopiedParts, LogSource } from './log-source.ts'

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
  /** Leave blobs that are not rows where they are. @default false */
  readonly leavesBlobs?: boolean
  /** Keep bytes that the log says are erased, if the source has them still. @default false */
  readonly keepsErased?: boolean
  /** Take the views of an earlier event from the source, if it has them, and believe them. @default false: all are computed from the log */
  readonly believesViews?: boolean
  onProgress?(progress: Progress & { readonly stage: 'events' | 'views' }): void
}

/** What a call of `copyLog` copied. */
export interface LogCopied extends BroughtCount {
  readonly events: number
}

const eventsPerCommit = 4000
const bytesPerCommit = 8 * 1024 * 1024
/** Blobs are not in the commit, but an interrupted copy begins behind the last one. */
const blobsWeigh = 1 / 32

/** How many bytes of a commit the event needs. */
function weightOf({ event, size }: CopiedEvent): number {
  const blob = broughtBlob(event)?.content.blob
  return blob === undefined ? size : size + blob.size * (blob.inline ? 1 : blobsWeigh)
}

/**
 * @throws StorageError `LogCorrupt` for a damaged event, `BlobCorrupt` and the like for damaged bytes; `InvalidArgument`
 * if `into` has another log; what the ports throw; the reason of `signal`
 */
export async function copyLog(copy: LogCopy): Promise<LogCopied> {
  const { from, into, hashing, signal, onProgress } = copy
  const [to, start] = [copy.to ?? (await from.journal.head()), await into.journal.head()]
  await assertSameLog(from.journal, into.journal, start)
  const copier = new LogCopier(copy, start)
  let page: CopiedEvent[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    await copier.take(page)
    page = []
    bytes = 0
    onProgress?.({ stage: 'events', done: copier.head, total: to })
  }
  if (start < to) {
    for await (const events of await eventsBehind(copy, start, to)) {
      for (const event of events) {
        signal?.throwIfAborted()
        bytes += weightOf(event)
        if (page.push(event) < eventsPerCommit && bytes < bytesPerCommit) continue
        await flush()
      }
    }
    if (page.length > 0) await flush()
  }
  if (copy.believesViews === true)
    await bringStoredViews({ from, into: into.journal, hashing, ...(signal && { signal }) })
  await bringViews(
    { journal: into.journal, hashing },
    { ...(signal && { signal }), onProgress: (progress) => onProgress?.({ ...progress, stage: 'views' }) },
  )
  return copier.copied
}

async function assertSameLog(from: LogSource['journal'], into: Journal, head: Seq): Promise<void> {
  if (head === 0 || (await haveSameEvent(from, into, head))) return
  throw anotherStore()
}

/** The error of a place that has another log. */
export const anotherStore = (): StorageError =>
  new StorageError('InvalidArgument', 'There is another store where this one is to go.', {
    details: { ArgumentName: 'to' },
  })

interface CopiedEvent extends DecodedEvent {
  readonly stored: StoredEvent
}

/** Views that are brought are not computed from the events, so the chain is checked here. */
async function eventsBehind(
  { from, into, hashing }: LogCopy,
  start: Seq,
  to: Seq,
): Promise<AsyncIterable<readonly CopiedEvent[]>> {
  const decode = (stored: StoredEvent): CopiedEvent => ({ ...decodeEvent(hashing, stored), stored })
  const prev = start === 0 ? '' : (await tipAt({ journal: into.journal, hashing }, start)).hash
  return linkedPages(from.journal, decode, { from: start + 1, to, prev })
}

class LogCopier {
  readonly #copy: LogCopy
  readonly #bringer: PageBringer
  readonly #erased: CopiedErasures
  #events = 0
  head: Seq

  constructor(copy: LogCopy, head: Seq) {
    this.#copy = copy
    this.head = head
    this.#bringer = new PageBringer({ ...copy, into: copy.into.blobs })
    this.#erased = new CopiedErasures(copy.into, copy.hashing, head)
  }

  get copied(): LogCopied {
    return { events: this.#events, ...this.#bringer.brought }
  }

  async take(page: readonly CopiedEvent[]): Promise<void> {
    const { into } = this.#copy
    const rows = await this.#bringer.bring(page.map(({ event }) => event))
    await into.journal.commit({ expectedHead: this.head, events: page.map(({ stored }) => stored.bytes), rows })
    this.head += page.length
    this.#events += page.length
    if (this.#copy.keepsErased !== true) await this.#erased.dropUpTo(this.head, page)
  }
}
