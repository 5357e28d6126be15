/** The position of a moment for what reads a part of the log: a time before the log is its start, not an error. */
import { isStorageError } from '../base/errors.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'
import { type Moment, readMoment } from './moment.ts'

interface MomentLog {
  readonly pacedLog: LogPorts
  readonly writer: { readonly committed: Seq }
  /** @throws StorageError `MomentOutOfRange` also for a time before the first event */
  positionOf(moment: Moment): Promise<Seq>
}

/**
 * As `positionOf`, but 0 for a time before the first event.
 * @throws StorageError `MomentOutOfRange` for a position after the end of the log, and for a time in the future
 */
export async function positionOrStart(log: MomentLog, moment: Moment): Promise<Seq> {
  try {
    return await log.positionOf(moment)
  } catch (error) {
    if (isStorageError(error, 'MomentOutOfRange') && (await isBeforeLog(log, moment))) return 0
    throw error
  }
}

async function isBeforeLog({ pacedLog, writer }: MomentLog, given: Moment): Promise<boolean> {
  const moment = typeof given === 'string' ? readMoment(given) : given
  if (!(moment instanceof Date) || writer.committed === 0) return false
  return moment.getTime() < (await readEvent(pacedLog, 1)).event.at
}
