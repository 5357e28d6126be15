/** Begins an epoch: the first act of a store that was restored or promoted. */
import type { Epoch } from '../base/epoch.ts'
import { digitsOfBytes } from '../bytes/base32.ts'
import { fromHex } from '../bytes/hex.ts'
import type { Actor, EpochBegun, RecordedEvent } from '../events/index.ts'
import type { Ids } from '../ports/index.ts'
import type { LogService } from '../requests/log-service.ts'

/** The number of bytes of an id, of which an epoch is the last ones. */
const idBytes = 16
const epochBytes = 5

/** What `EpochBegun` says besides its epoch, and who causes it. */
export interface BeginEpochOptions extends Omit<EpochBegun, 'epoch'> {
  readonly by: Actor
}

/** A random epoch: 40 bits of an id. */
export const newEpoch = (ids: Ids): Epoch => digitsOfBytes(fromHex(ids.next()), idBytes - epochBytes)

/**
 * Commits `EpochBegun` with a random epoch. The ids of all versions and uploads that are added from then on carry it.
 * @throws StorageError `EpochConflict` if `from` is not the end of the log; nothing was changed
 */
export async function beginEpoch(
  log: Pick<LogService, 'submit'>,
  ids: Ids,
  { by, ...begun }: BeginEpochOptions,
): Promise<RecordedEvent<'EpochBegun'>> {
  const epoch = newEpoch(ids)
  const meta = { by, requestId: ids.next() }
  const [event] = await log.submit({ type: 'BeginEpoch', data: { epoch, ...begun }, meta })
  return event as RecordedEvent<'EpochBegun'>
}
