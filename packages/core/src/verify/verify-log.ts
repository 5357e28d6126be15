/**
 * Walks the whole log and continues after damage: it reports every event that is damaged, missing, changed or not
 * linked to the chain.
 */
import type { Soon } from '../base/soon.ts'
import { isStorageError } from '../base/errors.ts'
import { decodeEvent, type DecodedEvent } from '../events/event-codec.ts'
import { storedPages } from '../events/log.ts'
import type { Seq, StoredEvent } from '../ports/index.ts'
import type { Findings } from './findings.ts'
import type { VerifyOptions } from './report.ts'
import type { Subject } from './subject.ts'
import { noteLostTips, rememberedTips, type RememberedTip } from './verify-tips.ts'

const progressEvery = 1000

export interface LogWalkOptions {
  /** The first position to check; earlier events are assumed to be whole. @default 1 */
  readonly from?: Seq
  /** Receives every event in order, as long as no earlier one is damaged. */
  onSound?(decoded: DecodedEvent): Soon<void>
}

/** Resolves with the last position up to which the log is whole: `subject.end` if all of it is. */
export async function verifyLog(
  subject: Subject,
  options: VerifyOptions,
  findings: Findings,
  { from = 1, onSound }: LogWalkOptions = {},
): Promise<Seq> {
  const tips = await rememberedTips(subject, options, findings)
  const walk = new LogWalk(subject, tips, findings)
  if (from > 1) walk.startAt(from)
  let skip = 1
  async function takePage(page: readonly StoredEvent[]): Promise<void> {
    for (const stored of page) {
      options.signal?.throwIfAborted()
      const decoded = walk.take(stored)
      skip = 1
      const taking = decoded && onSound?.(decoded)
      if (taking !== undefined) await taking
      noteProgress(options, stored.seq, subject.end)
    }
  }
  while (walk.next <= subject.end) {
    try {
      for await (const page of storedPages(subject.ports.journal.events({ from: walk.next, to: subject.end }))) {
        await takePage(page)
      }
      break
    } catch (error) {
      if (!isStorageError(error, 'JournalFailed', 'LogCorrupt')) throw error
      // Events after an unreadable place may be whole: jumps of doubling length find them.
      walk.leap(skip, error.message)
      skip *= 2
    }
  }
  walk.finish()
  noteLostTips(tips, subject.end, findings)
  return walk.soundTo
}

function noteProgress({ onProgress }: VerifyOptions, done: Seq, total: Seq): void {
  if (done % progressEvery === 0) onProgress?.({ stage: 'log', done, total })
}

class LogWalk {
  /** The next expected position. */
  next: Seq = 1
  /** The last position before anything that is missing or in doubt. */
  soundTo: Seq = 0
  readonly #subject: Subject
  readonly #tips: readonly RememberedTip[]
  readonly #findings: Findings
  #sound = true
  /** The hash of the previous event; `undefined` if it is not known. */
  #prev: string | undefined = ''
  /** The position before a broken link. The next link shows which of the two events was changed. */
  #broken: Seq | undefined

  constructor(subject: Subject, tips: readonly RememberedTip[], findings: Findings) {
    this.#subject = subject
    this.#tips = tips
    this.#findings = findings
  }

  startAt(from: Seq): void {
    this.next = from
    this.soundTo = from - 1
    this.#prev = undefined
  }

  /** The event, if it and all events before it are whole as far as is known at this point. */
  take(stored: StoredEvent): DecodedEvent | undefined {
    this.#gapTo(stored.seq)
    this.next = stored.seq + 1
    const decoded = this.#decode(stored)
    if (decoded === undefined) {
      this.#lose()
      return undefined
    }
    const { event, hash } = decoded
    this.#findings.events++
    if (event.seq === this.#subject.end) this.#findings.tip = { seq: event.seq, hash }
    const linked = this.#prev === undefined || event.prev === this.#prev
    // A broken link after `#broken` proves a change of that event only if the next event's own hash is confirmed.
    if (this.#prev !== undefined) this.#settle(linked)
    if (!linked) this.#doubt((this.#broken = event.seq - 1))
    for (const tip of this.#tips) if (tip.seq === event.seq) this.#compare(tip, hash)
    this.#prev = hash
    if (!this.#sound) return undefined
    this.soundTo = event.seq
    return decoded
  }

  /** Skips `count` positions that cannot be read. */
  leap(count: number, message: string): void {
    const seq = this.next
    this.#findings.note({ kind: 'JournalUnreadable', message, seq, count })
    this.next += count
    this.#lose()
  }

  finish(): void {
    this.#gapTo(this.#subject.end + 1)
    this.#settle(true)
  }

  #gapTo(seq: Seq): void {
    const count = seq - this.next
    if (count <= 0) return
    const which = count === 1 ? `Event ${this.next} is` : `Events ${this.next} to ${seq - 1} are`
    this.#findings.note({ kind: 'EventMissing', message: `${which} missing.`, seq: this.next, count })
    this.next = seq
    this.#lose()
  }

  /** Called when the link of the next event cannot be checked. */
  #lose(): void {
    this.#settle(true)
    this.#sound = false
    this.#prev = undefined
  }

  #doubt(seq: Seq): void {
    this.#sound = false
    this.soundTo = Math.min(this.soundTo, seq - 1)
  }

  #settle(vouched: boolean): void {
    if (this.#broken === undefined) return
    const [seq, after] = [this.#broken, this.#broken + 1]
    this.#broken = undefined
    if (vouched) {
      const message = `Event ${seq} is not the one that event ${after} was written after.`
      return this.#findings.note({ kind: 'EventChanged', message, seq })
    }
    const message = `Event ${after} does not follow event ${seq}: it was changed, and does not vouch for that one.`
    this.#findings.note({ kind: 'EventUnlinked', message, seq: after })
  }

  #compare({ seq, hash, by }: RememberedTip, found: string): void {
    if (hash === found) return
    this.#doubt(seq)
    this.#findings.note({ kind: 'TipDiffers', message: `Event ${seq} is not the one that ${by} remembers.`, seq })
  }

  #decode(stored: StoredEvent): DecodedEvent | undefined {
    try {
      return decodeEvent(this.#subject.ports.hashing, stored)
    } catch (error) {
      if (!isStorageError(error, 'LogCorrupt', 'UnsupportedFormat')) throw error
      const kind = error.code === 'LogCorrupt' ? 'EventDamaged' : 'EventUnknown'
      this.#findings.note({ kind, message: error.message, seq: stored.seq })
      return undefined
    }
  }
}
