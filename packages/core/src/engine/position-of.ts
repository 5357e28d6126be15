/** Finds the position of the log that a number or a time stands for. */
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'

export interface LogTimes {
  readonly ports: LogPorts
  /** The last committed position. */
  readonly end: Seq
  /** Whether a recorded time is not in the future by the store's clock. A fast clock may have recorded future times. */
  isPastOrPresent(at: number): boolean
}

/** @throws StorageError `InvalidArgument` for a position after the end, and for an invalid `Date` */
export async function positionOf(log: LogTimes, when: Seq | Date): Promise<Seq> {
  const position = typeof when === 'number' ? when : await positionAt(log, when)
  if (Number.isSafeInteger(position) && position >= 0 && position <= log.end) return position
  throw new StorageError('InvalidArgument', `The log has positions 0 to ${log.end}, not ${position}.`)
}

/**
 * The last position at or before a time; 0 before the first event. Times in the log never run backwards. A clock that
 * ran fast can leave events with future times. A time after all other events then stands for the end of the log.
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
