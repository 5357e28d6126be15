/** The events in an archive of a bucket: lines of JSON, in the order of their positions. */
import type { Seq } from '@varve/core'
import { archiveCorrupt } from './archive-error.ts'

/** An event of an archive. Its data is not checked. */
export interface ArchivedEvent {
  readonly type: string
  readonly seq: Seq
  /** Milliseconds. */
  readonly at: number
  readonly data: Readonly<Record<string, unknown>>
}

export class EventLines {
  readonly #onEvent: ((event: ArchivedEvent) => void) | undefined
  count = 0
  #seq = 0

  constructor(onEvent?: (event: ArchivedEvent) => void) {
    this.#onEvent = onEvent
  }

  /** @throws StorageError `ArchiveCorrupt` */
  take(bytes: Uint8Array, member: string): void {
    const text = textOf(bytes, member)
    if (!text.endsWith('\n')) throw archiveCorrupt('document', 'its last line does not end', member)
    for (const line of text.slice(0, -1).split('\n')) {
      const event = eventOf(line, member)
      const { seq } = event
      if (seq <= this.#seq) throw archiveCorrupt('order', `event ${seq} does not belong here`, member)
      this.#seq = seq
      this.count++
      this.#onEvent?.(event)
    }
  }
}

function textOf(bytes: Uint8Array, member: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw archiveCorrupt('document', 'it is not UTF-8', member, cause)
  }
}

function eventOf(line: string, member: string): ArchivedEvent {
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw archiveCorrupt('document', 'a line is no JSON', member, cause)
  }
  const { seq, type, at, data } = (event ?? {}) as Readonly<Record<string, unknown>>
  if (typeof seq === 'number' && Number.isSafeInteger(seq) && typeof type === 'string') {
    return { seq, type, at: Number(at), data: Object(data) as ArchivedEvent['data'] }
  }
  throw archiveCorrupt('document', 'a line is no event', member)
}
