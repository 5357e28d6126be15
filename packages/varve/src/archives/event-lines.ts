/** The events in an archive of a bucket: lines of JSON, in the order of their positions. */
import { archiveCorrupt } from './archive-error.ts'

export class EventLines {
  count = 0
  #seq = 0

  /** @throws StorageError `ArchiveCorrupt` */
  take(bytes: Uint8Array, member: string): void {
    const text = textOf(bytes, member)
    if (!text.endsWith('\n')) throw archiveCorrupt('document', 'its last line does not end', member)
    for (const line of text.slice(0, -1).split('\n')) {
      const seq = seqOf(line, member)
      if (seq <= this.#seq) throw archiveCorrupt('order', `event ${seq} does not belong here`, member)
      this.#seq = seq
      this.count++
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

function seqOf(line: string, member: string): number {
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw archiveCorrupt('document', 'a line is no JSON', member, cause)
  }
  const { seq, type } = (event ?? {}) as { readonly seq?: unknown; readonly type?: unknown }
  if (Number.isSafeInteger(seq) && typeof type === 'string') return seq as number
  throw archiveCorrupt('document', 'a line is no event', member)
}
