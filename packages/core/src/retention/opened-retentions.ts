import { isStorageError } from '../base/errors.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import type { Rows } from '../views/row-reader.ts'
import { Retentions } from './retentions.ts'

/**
 * The retentions of a log that is opened. If it states none for the store, what the opening requests counts, by default
 * 0. A log that lost its first event may have stated one in it, so then everything is kept until somebody states one.
 */
export async function openedRetentions(
  log: LogPorts & { readonly rows: Rows },
  end: Seq,
  requestedMs: number | undefined,
): Promise<Retentions> {
  const retentions = await Retentions.load(log.rows, requestedMs ?? 0)
  if (requestedMs !== undefined || end === 0 || retentions.stated(wholeStore) !== undefined) return retentions
  return (await isFirstLost(log)) ? retentions.withUnset(Number.MAX_SAFE_INTEGER) : retentions
}

async function isFirstLost(log: LogPorts): Promise<boolean> {
  try {
    const { event } = await readEvent(log, 1)
    return event.type === 'EventLost'
  } catch (error) {
    if (isStorageError(error, 'LogCorrupt')) return true
    throw error
  }
}
