/** The log of a store of an older format: its events in their current shapes, and the hashes that chain them there. */
import { openFrame } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import { corruptEvent } from '../events/event-codec.ts'
import { type DecodedOldEvent, decodeOldEvent } from '../events/format-2/decode-old-event.ts'
import { linkedPages } from '../events/log.ts'
import type { Hashing, Journal, Seq, Tip } from '../ports/index.ts'
import { headKey } from '../views/tables.ts'

export class OldLog {
  readonly #journal: Journal
  readonly #hashing: Hashing

  constructor(journal: Journal, hashing: Hashing) {
    this.#journal = journal
    this.#hashing = hashing
  }

  /** @throws StorageError `LogCorrupt` that names the first damaged position, after all events before it. */
  pages(from: Seq, to: Seq): AsyncGenerator<readonly DecodedOldEvent[]> {
    return linkedPages(this.#journal, (stored) => decodeOldEvent(this.#hashing, stored), { from, to })
  }

  /** @throws StorageError `LogCorrupt` */
  async event(seq: Seq): Promise<DecodedOldEvent> {
    for await (const [found] of this.pages(seq, seq)) if (found !== undefined) return found
    throw corruptEvent(seq, 'missing')
  }

  /** The tip that the views followed. An unreadable row means the same as a missing one: the witness remains. */
  async viewedTip(): Promise<Tip | undefined> {
    const frame = await this.#journal.get(headKey.bytes)
    const payload = frame && openFrame(this.#hashing, headKey.bytes, frame)
    if (payload === undefined) return undefined
    try {
      const { seq, hash } = JSON.parse(decodeUtf8(payload)) as { readonly seq?: unknown; readonly hash?: unknown }
      return typeof seq === 'number' && seq > 0 && typeof hash === 'string' ? { seq, hash } : undefined
    } catch {
      return undefined
    }
  }
}
