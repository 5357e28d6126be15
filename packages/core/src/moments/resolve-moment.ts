/** Finds the position of the log that a moment stands for. */
import type { Soon } from '../base/soon.ts'
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'
import { assertNotAfter } from './not-after.ts'
import { type Moment, parseMoment } from './moment.ts'
import { noSuchMoment } from './snapshot-name.ts'

export interface LogTimes {
  readonly ports: LogPorts
  /** The last committed position. */
  readonly end: Seq
  /** Whether a time is not in the future by the store's clock. A fast clock may have recorded future times. */
  isPastOrPresent(at: number): boolean
  /** The position of a snapshot, if there is one of this name. */
  snapshotAt(name: string): Soon<Seq | undefined>
  /** Positions of times that the log has passed. They never change. */
  readonly known: Map<number, Seq>
}

const knownMax = 1024

/**
 * @throws StorageError `MomentOutOfRange` for a position after the end of the log, a time in the future, and a time
 *   before the first event; `NoSuchSnapshot`; `InvalidArgument` for malformed text
 */
export async function resolveMoment(log: LogTimes, given: Moment): Promise<Seq> {
  const moment = typeof given === 'string' ? parseMoment(given) : given
  if (typeof moment === 'string') {
    const position = await log.snapshotAt(moment)
    if (position === undefined) throw noSuchMoment(moment)
    return position
  }
  return typeof moment === 'number' ? checkedPosition(log, moment) : positionAt(log, moment.getTime())
}

function checkedPosition({ end }: LogTimes, position: Seq): Seq {
  if (position <= end) return position
  throw outOfRange(`The log has positions 0 to ${end}, not ${position}.`)
}

/**
 * The last position at or before a time. Times in the log never run backwards. A clock that ran fast can leave events
 * with future times. A time after all other events then stands for the end of the log.
 */
async function positionAt(log: LogTimes, time: number): Promise<Seq> {
  const { ports, end, isPastOrPresent, known } = log
  const before = known.get(time)
  if (before !== undefined) return before
  const timeOf = async (seq: Seq) => (await readEvent(ports, seq)).event.at
  if (!isPastOrPresent(time)) assertNotAfter(time, end === 0 ? undefined : await timeOf(end))
  if (end === 0) return 0
  let [low, high] = [0, end]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((await timeOf(middle)) <= time) low = middle
    else high = middle - 1
  }
  if (low === end) return low
  const next = await timeOf(low + 1)
  if (!isPastOrPresent(next)) return end
  if (low > 0) {
    if (known.size >= knownMax) known.clear()
    known.set(time, low)
    return low
  }
  throw outOfRange(`${shownTime(time)} is before the first event of the store, at ${shownTime(next)}.`)
}

const outOfRange = (message: string): StorageError => new StorageError('MomentOutOfRange', message)

/** Valid dates and log times have this form. */
const shownTime = (time: number): string => new Date(time).toISOString()
