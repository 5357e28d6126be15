/** The log of a store of an older format: its events in their current shapes, and the hashes that chain them there. */
import { openFrame } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import type { DecodedEvent } from '../events/event-codec.ts'
import { decodeOldEvent } from '../events/format-2/decode-old-event.ts'
import { type LogPorts, readEvent, readLogPages } from '../events/log.ts'
import type { Hashing, Journal, Seq, Tip } from '../ports/index.ts'
import { headKey } from '../views/tables.ts'

/** Rows of the old format share nothing with its events. */
const decode: LogPorts['decode'] = (hashing, stored) => ({ ...decodeOldEvent(hashing, stored), facts: undefined })

export class OldLog {
  readonly #journal: Journal
  readonly #ports: LogPorts

  constructor(journal: Journal, hashing: Hashing) {
    this.#journal = journal
    this.#ports = { journal, hashing, decode }
  }

  /** @throws StorageError `LogCorrupt` that names the first damaged position, after all events before it. */
  pages(from: Seq, to: Seq): AsyncGenerator<readonly DecodedEvent[]> {
    return readLogPages(this.#ports, { from, to })
  }

  /** @throws StorageError `LogCorrupt` */
  event(seq: Seq): Promise<DecodedEvent> {
    return readEvent(this.#ports, seq)
  }

  /** The tip that the views followed. An unreadable row means the same as a missing one: the witness remains. */
  async viewedTip(): Promise<Tip | undefined> {
    const frame = await this.#journal.get(headKey.bytes)
    const payload = frame && openFrame(this.#ports.hashing, headKey.bytes, frame)
    if (payload === undefined) return undefined
    try {
      const { seq, hash } = JSON.parse(decodeUtf8(payload)) as { readonly seq?: unknown; readonly hash?: unknown }
      return typeof seq === 'number' && seq > 0 && typeof hash === 'string' ? { seq, hash } : undefined
    } catch {
      return undefined
    }
  }
}
