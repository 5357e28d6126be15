/** Reads events for a salvage, as far as they can be read. */
import { isStorageError } from '../base/errors.ts'
import { readRecord } from '../codec/record.ts'
import type { Hashing, StoredEvent } from '../ports/index.ts'
import { checkFrame, readEventInto } from './event-codec.ts'
import type { RecordedEvent } from './event.ts'

export interface LooseEvent {
  /** Absent if no event can be read from the bytes. */
  readonly event?: RecordedEvent
  /** The facts that could be read even if `event` is absent. */
  readonly type?: string
  readonly bucket?: string
  readonly key?: string
}

/** @throws StorageError `UnsupportedFormat` for an event of another release, which can salvage it. */
export function looseEvent(hashing: Hashing, { seq, bytes }: StoredEvent): LooseEvent {
  if (!isDone(() => checkFrame(hashing, { seq, bytes }))) return {}
  const read: { seq?: number; type?: string; data?: { readonly bucket?: string; readonly key?: string } } = {}
  const isWhole = isDone(() => readEventInto(readRecord(bytes), read))
  const { type, data: { bucket, key } = {} } = read
  return {
    ...(isWhole && read.seq === seq && { event: read as RecordedEvent }),
    ...(type !== undefined && { type }),
    ...(bucket !== undefined && { bucket }),
    ...(key !== undefined && { key }),
  }
}

function isDone(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (isStorageError(error, 'UnsupportedFormat')) throw error
    return false
  }
}
