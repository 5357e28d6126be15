/**
 * Gives events their place: position, time, and the hash of the one before. Time never runs backwards in the log,
 * whatever the clock does: order is by position, `at` is data.
 */
import type { CommandMeta } from '../commands/command.ts'
import { encodeEvent } from '../events/event-codec.ts'
import type { Event, RecordedEvent } from '../events/index.ts'
import type { Clock, Hashing, Tip } from '../ports/index.ts'

export interface LogEnd extends Tip {
  readonly at: number
}

export interface Recording {
  readonly event: RecordedEvent
  readonly bytes: Uint8Array
}

export class Recorder {
  readonly #clock: Clock
  readonly #hashing: Hashing
  #end: LogEnd

  constructor(clock: Clock, hashing: Hashing, end: LogEnd) {
    this.#clock = clock
    this.#hashing = hashing
    this.#end = end
  }

  /** The last event recorded, committed or not. */
  get end(): LogEnd {
    return this.#end
  }

  /** The time that what is recorded next may have. */
  now(): number {
    return Math.max(this.#end.at, this.#clock.now())
  }

  /** `at`: from `now()`, asked after the event before was recorded. */
  record(event: Event, { by, requestId }: CommandMeta, at: number): Recording {
    const { seq, hash: prev } = this.#end
    const recorded = { ...event, seq: seq + 1, at, by, requestId, prev } as RecordedEvent
    const { bytes, hash } = encodeEvent(this.#hashing, recorded)
    this.#end = { seq: recorded.seq, at, hash }
    return { event: recorded, bytes }
  }
}
