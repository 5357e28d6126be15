/** Times in the future name no state yet. */
import { StorageError } from '../base/errors.ts'

/**
 * A clock that ran fast can leave events with future times, so a time up to that of the last event is never refused.
 * @param time a time that the clock has not reached
 * @param last the time of the last event, if there is one
 * @throws StorageError `MomentOutOfRange` for a time after the last event
 */
export function assertNotAfter(time: number, last: number | undefined): void {
  if (last !== undefined && time <= last) return
  throw new StorageError('MomentOutOfRange', `${new Date(time).toISOString()} is in the future.`)
}
