import { isStorageError } from '../base/errors.ts'
import { corruptEvent, decodeEvent, type DecodedEvent, encodeEvent } from '../events/event-codec.ts'
import { dataKeyRow } from '../encryption/data-key-row.ts'
import type { ContentsErased } from '../events/event.ts'
import type { RecordedEvent } from '../events/index.ts'
import { splitOldSeal } from '../events/split-old-seal.ts'
import { readEvent } from '../events/log.ts'
import type { Hashing, Journal, RowChange, Tip } from '../ports/index.ts'
import { isSameJson } from '../schema/same-json.ts'
import { dataKeyTable } from '../views/tables.ts'

/** The maximum size of a commit, in events and in their bytes. */
const commitEvents = 500
const commitBytes = 4 * 1024 * 1024

/** Appends events to a log in the current format, each with the hash of the one before. */
export class EventRewriter {
  readonly #into: Journal
  readonly #hashing: Hashing
  #end: Tip
  #events: Uint8Array[] = []
  /** The data keys that the events contained, until their contents were erased. */
  #rows: RowChange[] = []
  #bytes = 0

  /** Continues after the last event of the log. */
  static async open(into: Journal, hashing: Hashing): Promise<EventRewriter> {
    const last = await lastEvent(into, hashing)
    return new EventRewriter(into, hashing, { seq: last?.event.seq ?? 0, hash: last?.hash ?? '' })
  }

  private constructor(into: Journal, hashing: Hashing, end: Tip) {
    this.#into = into
    this.#hashing = hashing
    this.#end = end
  }

  /** The last event, committed or not. */
  get end(): Tip {
    return this.#end
  }

  get full(): boolean {
    return this.#events.length >= commitEvents || this.#bytes >= commitBytes
  }

  /** @throws StorageError `LogCorrupt` for an event that does not read back as it is. */
  take(old: RecordedEvent): void {
    const { event, keys } = splitOldSeal(this.#hashing, old)
    const rewritten = { ...event, prev: this.#end.hash }
    for (const { blobId, wrapped } of keys) this.#rows.push(dataKeyRow(this.#hashing, blobId, wrapped))
    if (event.type === 'ContentsErased') this.#rows.push(...droppedKeys(event.data))
    const { bytes, hash } = this.#encode(rewritten)
    this.#events.push(bytes)
    this.#bytes += bytes.length
    this.#end = { seq: event.seq, hash }
  }

  async flush(): Promise<void> {
    if (this.#events.length === 0) return
    const [events, rows] = [this.#events, this.#rows]
    this.#events = []
    this.#rows = []
    this.#bytes = 0
    await this.#into.commit({ expectedHead: this.#end.seq - events.length, events, rows })
  }

  #encode(event: RecordedEvent): { readonly bytes: Uint8Array; readonly hash: string } {
    const { seq } = event
    try {
      const bytes = encodeEvent(this.#hashing, event)
      const read = decodeEvent(this.#hashing, { seq, bytes })
      if (isSameJson(event, read.event)) return { bytes, hash: read.hash }
    } catch (error) {
      if (!isStorageError(error)) throw error
    }
    throw corruptEvent(seq, 'payload')
  }
}

/** Old events of erasures do not tell which contents were encrypted. Those of parts are known by the rows of the parts. */
const droppedKeys = ({ erased }: ContentsErased): readonly RowChange[] =>
  erased.flatMap(({ content }) =>
    content.kind === 'blob' ? [{ key: dataKeyTable.key(content.blob.id), value: null }] : [],
  )

/** `undefined` for an empty log, and for an event that cannot be read. */
export async function lastEvent(journal: Journal, hashing: Hashing): Promise<DecodedEvent | undefined> {
  const head = await journal.head()
  return head === 0 ? undefined : readEvent({ journal, hashing }, head).catch(() => undefined)
}
