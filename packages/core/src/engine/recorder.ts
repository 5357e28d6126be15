/**
 * Gives each event its position, its time and the hash of the event before. Time never runs backwards in the log,
 * whatever the clock does: the position gives the order, `at` is only data.
 */
import type { CommandMeta } from '../commands/command.ts'
import { decodeSealed, type DecodedEvent, encodeEvent } from '../events/event-codec.ts'
import type { Event, RecordedEvent } from '../events/index.ts'
import type { DecisionTime } from '../decide/rule.ts'
import type { Hashing, Tip } from '../ports/index.ts'
import type { Epoch } from '../base/epoch.ts'
import type { StoreClock } from '../time/store-clock.ts'

/** The last event of a log, as its views have it. */
export interface ViewsEnd extends Tip {
  readonly at: number
}

export interface LogEnd extends ViewsEnd {
  /** The epoch of the next event. */
  readonly epoch: Epoch | undefined
}

/** The end of a log without events. */
export const logStart: LogEnd = { seq: 0, at: 0, hash: '', epoch: undefined }

/** The end of a log whose last event this is. */
export const logEndAt = ({ event, hash }: Pick<DecodedEvent, 'event' | 'hash'>): LogEnd => ({
  seq: event.seq,
  at: event.at,
  hash,
  epoch: event.type === 'EpochBegun' ? event.data.epoch : event.epoch,
})

/** The event as it was decoded from `bytes`: it shares no object with the caller. */
export interface Recording extends Pick<DecodedEvent, 'event' | 'facts'> {
  readonly bytes: Uint8Array
}

export type RecorderClock = Pick<StoreClock, 'logTime' | 'locksAt'>

/** A class, because a literal with a getter costs more than all the rest of a decision. */
class TimeOnDemand implements DecisionTime {
  readonly at: number
  readonly end: Tip
  readonly #clock: RecorderClock

  constructor(at: number, end: Tip, clock: RecorderClock) {
    this.at = at
    this.end = end
    this.#clock = clock
  }

  /** Computed on demand, because few commands need it. */
  get locks(): number {
    return this.#clock.locksAt(this.at)
  }
}

export class Recorder {
  readonly #clock: RecorderClock
  readonly #hashing: Hashing
  #end: LogEnd

  constructor(clock: RecorderClock, hashing: Hashing, end: LogEnd) {
    this.#clock = clock
    this.#hashing = hashing
    this.#end = end
  }

  /** The last recorded event, committed or not. */
  get end(): LogEnd {
    return this.#end
  }

  /** The time of the next event. */
  now(): number {
    return this.#clock.logTime(this.#end.at)
  }

  /** As `now()`, with the time that decides whether locks have ended. */
  decisionTime(): DecisionTime {
    return new TimeOnDemand(this.now(), this.#end, this.#clock)
  }

  /**
   * Decodes every event with the decoder that opening a store uses, so that no unreadable event is committed.
   * `at`: from `now()`, called after the previous event was recorded.
   * @throws StorageError `InvalidArgument` for an event with a value that the log cannot express; then nothing is
   * recorded.
   */
  record(event: Event, { by, requestId }: CommandMeta, at: number): Recording {
    const { seq, hash: prev, epoch } = this.#end
    const { type, data } = event
    const recorded = { seq: seq + 1, at, by, requestId, ...(epoch && { epoch }), prev, type, data } as RecordedEvent
    const bytes = encodeEvent(this.#hashing, recorded)
    const { event: read, facts, hash } = decodeSealed(this.#hashing, { seq: recorded.seq, bytes })
    this.#end = logEndAt({ event: read, hash })
    return { event: read, facts, bytes }
  }

  /** Forgets the events after `end`, an earlier end: they will not be committed. */
  rewind(end: LogEnd): void {
    this.#end = end
  }
}
