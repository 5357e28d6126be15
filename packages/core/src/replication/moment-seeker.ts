/** Finds the position of a moment while a log is read from its beginning. */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readLog } from '../events/log.ts'
import { noSuchSnapshot } from '../moments/snapshot-name.ts'
import { type Moment, parseMoment } from '../moments/moment.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'

/** Is given the events of a log from the first one on, and then knows the position of the moment. */
export class MomentSeeker {
  readonly #moment: Seq | string | Date
  #position: Seq | undefined
  #head: Seq = 0

  /** @throws StorageError `InvalidArgument` for a text that is no moment */
  constructor(given: Moment) {
    this.#moment = typeof given === 'string' ? parseMoment(given) : given
  }

  /** The next event. */
  take({ seq, at, type, data }: RecordedEvent): void {
    this.#head = seq
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
    if (this.#position !== undefined) return this.#position
    const moment = this.#moment
    if (typeof moment === 'string') throw noSuchSnapshot(moment)
    const what = typeof moment === 'number' ? `position ${moment}` : `event of ${moment.toISOString()} or before`
    throw new StorageError('MomentOutOfRange', `The log has positions 1 to ${this.#head}, and no ${what}.`)
  }
}

/** The last event of a moment, up to `head`. Reads the whole log. @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot`; as `readLog` does */
export async function positionOfMoment(
  log: LogPorts,
  head: Seq,
  { at, signal }: { readonly at: Moment } & Cancelable,
): Promise<Seq> {
  const seeker = new MomentSeeker(at)
  for await (const { event } of readLog(log, { to: head })) {
    signal?.throwIfAborted()
    seeker.take(event)
  }
  return seeker.position()
}
