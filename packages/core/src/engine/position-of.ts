/** Which position of the log a caller means by a number or a time. */
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'

export interface LogTimes {
  readonly ports: LogPorts
  /** The last position that is committed. */
  readonly end: Seq
  /** Whether the store takes a recorded time to have come: a clock that was ahead may have recorded later ones. */
  isPastOrPresent(at: number): boolean
}

/** @throws StorageError `InvalidArgument` for a position behind the end, and for a `Date` that is none */
export async function positionOf(log: LogTimes, when: Seq | Date): Promise<Seq> {
  const position = typeof when === 'number' ? when : await positionAt(log, when)
  if (Number.isSafeInteger(position) && position >= 0 && position <= log.end) return position
  throw new StorageError('InvalidArgument', `The log has positions 0 to ${log.end}, not ${position}.`)
}

/**
 * The last position at or before a time; 0 before the first event. Times in the log never run backwards. After a clock that
 * was ahead, events can have times that are still to come: a time after all others then counts as after those too.
 */
async function positionAt({ ports, end, isPastOrPresent }: LogTimes, date: Date): Promise<Seq> {
  const time = date.getTime()
  if (Number.isNaN(time))
    throw new StorageError('InvalidArgument', 'when must be a position of the log, or a valid Date.')
  let [low, high] = [0, end]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const { event } = await readEvent(ports, middle)
    if (event.at <= time) low = middle
    else high = middle - 1
  }
  if (low === end) return low
  const { event } = await readEvent(ports, low + 1)
  return isPastOrPresent(event.at) ? low : end
}
