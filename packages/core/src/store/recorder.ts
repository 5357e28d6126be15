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

  record(event: Event, { by, requestId }: CommandMeta): Recording {
    const { seq, at, hash: prev } = this.#end
    const now = Math.max(at, this.#clock.now())
    const recorded = { ...event, seq: seq + 1, at: now, by, requestId, prev } as RecordedEvent
    const { bytes, hash } = encodeEvent(this.#hashing, recorded)
    this.#end = { seq: recorded.seq, at: now, hash }
    return { event: recorded, bytes }
  }
}
