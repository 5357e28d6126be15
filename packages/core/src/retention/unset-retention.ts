import { isStorageError } from '../base/errors.ts'
import { type LogPorts, readEvent } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'

/**
 * How long a store keeps removed bytes whose log states nothing: as its opening requests, by default not at all. A log
 * that lost its first event may have stated a retention in it, so everything is kept until somebody states one.
 */
export async function unsetRetention(log: LogPorts, end: Seq, requestedMs: number | undefined): Promise<number> {
  if (requestedMs !== undefined || end === 0) return requestedMs ?? 0
  try {
    const { event } = await readEvent(log, 1)
    return event.type === 'EventLost' ? Number.MAX_SAFE_INTEGER : 0
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt')) throw error
    return Number.MAX_SAFE_INTEGER
  }
}
