/** Finds the position of a moment in a replica. */
import { isStorageError, StorageError } from '../base/errors.ts'
import { readLog } from '../events/log.ts'
import { assertNotAfter } from '../moments/not-after.ts'
import { type Moment, parseMoment } from '../moments/moment.ts'
import type { Hashing, Seq } from '../ports/index.ts'
import { positionOfMoment } from './moment-seeker.ts'
import type { LinePiece } from './replica-line.ts'
import type { ReplicaReader } from './replica-reader.ts'

export interface SoughtIn {
  readonly hashing: Hashing
  readonly reader: ReplicaReader
  /** Called if the moment is the last event: there may be later ones that were lost. @default the end of the reader */
  end?(): Seq
  /** Milliseconds, by the clock of the caller. */
  readonly now: number
}

/**
 * The last event of a moment. A time stands for the last event that was recorded at this time or before, and a name for a snapshot.
 * @throws StorageError `MomentOutOfRange` if the replica does not reach it, and for a time in the future; `NoSuchSnapshot`, `InvalidArgument`, `ReplicaCorrupt`
 */
export async function momentIn(sought: SoughtIn, given: Moment): Promise<Seq> {
  const moment = typeof given === 'string' ? parseMoment(given) : given
  if (typeof moment === 'string') return snapshotIn(sought, moment)
  return typeof moment === 'number' ? positionIn(sought.reader, moment) : timeIn(sought, moment.getTime())
}

function positionIn({ state: { head } }: ReplicaReader, position: Seq): Seq {
  if (Number.isSafeInteger(position) && position >= 1 && position <= head) return position
  throw outOfRange(`The replica has positions 1 to ${head}, not ${position}.`)
}

const outOfRange = (message: string): StorageError => new StorageError('MomentOutOfRange', message)

/**
 * The times of the log never run backwards, so the file with the moment is the last one that begins before it; or one before that, because
 * the events of a file that are read can begin later than the file.
 */
async function timeIn(sought: SoughtIn, at: number): Promise<Seq> {
  const begun: LinePiece[] = []
  for (const piece of await sought.reader.pieces()) {
    if (piece.facts.times[0] > at) break
    begun.unshift(piece)
  }
  for (const piece of begun) {
    let position: Seq | undefined
    let last = 0
    for await (const { event } of logOf(sought, piece)) {
      last = event.at
      if (event.at <= at) position = event.seq
    }
    if (piece.to === sought.reader.state.head && at > sought.now) assertNotAfter(at, last)
    // Events that were lost can be of this time or before.
    if (position === sought.reader.state.head) (sought.end ?? (() => sought.reader.end()))()
    if (position !== undefined) return position
  }
  throw outOfRange(`The replica has no event of ${new Date(at).toISOString()} or before.`)
}

/** Reads the whole log: no row of a replica names snapshots. */
async function snapshotIn({ reader, hashing, now, end }: SoughtIn, name: string): Promise<Seq> {
  try {
    return await positionOfMoment({ journal: reader.journal, hashing }, reader.state.head, { at: name, now })
  } catch (error) {
    // It may be one that was lost.
    if (isStorageError(error, 'NoSuchSnapshot')) (end ?? (() => reader.end()))()
    throw error
  }
}

const logOf = ({ reader, hashing }: SoughtIn, range: Pick<LinePiece, 'from' | 'to'>) =>
  readLog({ journal: reader.journal, hashing }, range)
