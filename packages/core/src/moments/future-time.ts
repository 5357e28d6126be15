/** Times in the future name no state yet. */
import { StorageError } from '../base/errors.ts'

/**
 * A clock that ran fast can leave events with future times, so a time up to that of the last event is never refused.
 * @param last the time of the last event, if there is one
 * @throws StorageError `MomentOutOfRange` for a time that is in the future and after the last event
 */
export function assertNotFuture(time: number, isPastOrPresent: boolean, last: number | undefined): void {
  if (isPastOrPresent || (last !== undefined && time <= last)) return
  throw new StorageError('MomentOutOfRange', `${new Date(time).toISOString()} is in the future.`)
}
