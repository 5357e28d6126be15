/**
 * The part of the log that this engine knows. Whatever depends on the newest events learns of each event here, once and
 * in order, whether this engine committed it or another one on the journal.
 */
import { RecentWrites } from '../concurrency/recent-writes.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { LogPorts } from '../events/log.ts'
import type { Journal, RowChange, Seq, Tip } from '../ports/index.ts'
import type { HotRows } from '../views/hot-rows.ts'
import type { OpenParts } from '../views/open-parts.ts'
import { type CommitListener, CommitListeners } from './commit-listeners.ts'
import { followForeignEvents } from './foreign-events.ts'
import type { LogEnd, Recorder, Recording } from './recorder.ts'

export interface KnownLogOptions {
  readonly log: LogPorts & { readonly journal: Pick<Journal, 'head' | 'events'> }
  readonly recorder: Recorder
  /** Forgets its rows before events of other engines are known. */
  readonly hot: HotRows
  /** Notified of every committed event. */
  readonly openParts: OpenParts
  /** Called after each commit, before its results, with the events that became part of the log. */
  readonly onCommitted: (events: readonly RecordedEvent[]) => void
}

/** What this engine has committed at once. */
export interface StoreCommit {
  readonly recordings: readonly Pick<Recording, 'event' | 'bytes'>[]
  /** Rows beside the log that were committed with the events. */
  readonly sideRows: readonly RowChange[]
  /** Where the log ends now. */
  readonly end: Tip
}

export class KnownLog {
  readonly #options: KnownLogOptions
  /** The rows that its newest commits changed. */
  readonly recent = new RecentWrites()
  readonly #taps = new CommitListeners<StoreCommit>()
  #seq: Seq

  constructor(options: KnownLogOptions) {
    this.#options = options
    this.#seq = options.recorder.end.seq
  }

  /** The last position that is durable and visible. */
  get seq(): Seq {
    return this.#seq
  }

  /** The last recorded event, committed or not. */
  get recorded(): LogEnd {
    return this.#options.recorder.end
  }

  /** This engine has committed events. `changed`: the rows that they changed. */
  committed(commit: StoreCommit, changed: () => readonly string[]): void {
    this.extend(commit.end, changed)
    this.#taps.notify(commit)
  }

  /** Calls back for each commit of this engine, before anyone learns of it. Its bytes must be copied. Returns a function that ends it. */
  tap(tap: CommitListener<StoreCommit>): () => void {
    return this.#taps.add(tap)
  }

  /** The events up to `end` are committed. `changed`: the rows that they changed, if this engine has committed them. */
  extend({ seq }: Tip, changed?: () => readonly string[]): void {
    this.#seq = seq
    if (changed === undefined) this.recent.forget(seq)
    else this.recent.add(seq, changed)
  }

  /** Passes on events that are known. */
  publish(events: readonly RecordedEvent[]): void {
    const { openParts, onCommitted } = this.#options
    for (const event of events) openParts.committed(event)
    onCommitted(events)
  }

  /**
   * Learns of the events of other engines, at least up to `seen`, which was read from the journal. No commit of this engine may be in flight.
   * @throws StorageError `LogCorrupt`, `AcknowledgedWritesLost`
   */
  async follow(seen: Seq): Promise<void> {
    const { log, recorder, hot } = this.#options
    for await (const { end, events } of followForeignEvents(log, recorder.end, seen)) {
      // Any cached row may be one that these events changed.
      hot.forgetAll()
      recorder.rewind(end)
      this.extend(end)
      this.publish(events)
    }
  }
}
