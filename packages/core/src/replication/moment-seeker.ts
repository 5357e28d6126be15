/** Finds the position of a moment while a log is read from its beginning. */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readLog } from '../events/log.ts'
import { assertNotAfter } from '../moments/not-after.ts'
import { noSuchMoment } from '../moments/snapshot-name.ts'
import { type Moment, parseMoment } from '../moments/moment.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'

/** Is given the events of a log from the first one on, and then knows the position of the moment. */
export class MomentSeeker {
  readonly #moment: Seq | string | Date
  readonly #now: number
  #position: Seq | undefined
  #head: Seq = 0
  /** The time of the last event. */
  #last: number | undefined

  /**
   * @param now milliseconds
   * @throws StorageError `InvalidArgument` for a text that is no moment
   */
  constructor(given: Moment, now: number) {
    this.#now = now
    this.#moment = typeof given === 'string' ? parseMoment(given) : given
  }

  /** The next event. */
  take({ seq, at, type, data }: RecordedEvent): void {
    this.#head = seq
    this.#last = at
    const moment = this.#moment
    if (typeof moment === 'number') {
      if (seq === moment) this.#position = seq
    } else if (moment instanceof Date) {
      if (at <= moment.getTime()) this.#position = seq
    } else if (type === 'SnapshotCreated' && data.name === moment) this.#position = data.position ?? seq
    else if (type === 'SnapshotDeleted' && data.name === moment) this.#position = undefined
  }

  /** When all events were taken. @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot` */
  position(): Seq {
    const moment = this.#moment
    if (moment instanceof Date && moment.getTime() > this.#now) assertNotAfter(moment.getTime(), this.#last)
    if (this.#position !== undefined) return this.#position
    if (typeof moment === 'string') throw noSuchMoment(moment)
    const what = typeof moment === 'number' ? `position ${moment}` : `event of ${moment.toISOString()} or before`
    throw new StorageError('MomentOutOfRange', `The log has positions 1 to ${this.#head}, and no ${what}.`)
  }
}

/** The last event of a moment, up to `head`; `now` in milliseconds. Reads the whole log. @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot`; as `readLog` does */
export async function positionOfMoment(
  log: LogPorts,
  head: Seq,
  { at, now, signal }: { readonly at: Moment; readonly now: number } & Cancelable,
): Promise<Seq> {
  const seeker = new MomentSeeker(at, now)
  for await (const { event } of readLog(log, { to: head })) {
    signal?.throwIfAborted()
    seeker.take(event)
  }
  return seeker.position()
}
