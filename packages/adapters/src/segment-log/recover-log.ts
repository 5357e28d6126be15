/**
 * Recovers the log from the position of the views. The last commits may be in the memory of the system and not on the
 * disk: a sync that failed before would not fail again. So those commits are written again, into a new segment, before
 * they become visible.
 */
import type { Commit } from '@varve/core'
import type { LoggedCommit } from './format/encode-group.ts'
import type { LogPosition } from './format/log-position.ts'
import type { LogWriter } from './log-writer.ts'
import type { Overlay } from './overlay.ts'
import { type FoundRecord, readTail } from './read-tail.ts'
import { changeOf, readRecordEvents } from './format/record-body.ts'
import type { SegmentFiles } from './segment-files.ts'
import type { ViewsWriter } from './views-writer.ts'

export interface RecoveryParts {
  readonly files: SegmentFiles
  /** Starts at the position of the views. */
  readonly overlay: Overlay
  readonly views: ViewsWriter
  readonly begin: (end: LogPosition) => LogWriter
}

/** @throws StorageError `LogCorrupt` */
export async function recoverLog({ files, overlay, views, begin }: RecoveryParts, last: number): Promise<LogWriter> {
  const unsure: FoundRecord[] = []
  const { end, unsureFrom, clean } = await readTail(files, overlay.active.end, last, async (found) => {
    if (!found.sure) {
      unsure.push(found)
      return
    }
    overlay.add([loggedCommit(found)], found.after)
    views.nudge()
    await views.room()
  })
  const writer = begin(unsureFrom ?? end)
  if (unsureFrom !== undefined) {
    // Creates a segment again, under the same name, if its name may not be durable: a later sync of the directory does
    // not repair one that failed.
    await files.forget(unsureFrom.segment + 1)
    const group = await writer.begin(unsure.map(commitOf))
    overlay.add(group.commits, group.end)
  } else if (clean) {
    await writer.resume((await files.header(last)).seed)
  }
  await views.writeAll()
  return writer
}

const loggedCommit = ({ record: { header, rows }, before }: FoundRecord): LoggedCommit => ({
  segment: before.segment,
  offset: header.offset,
  head: header.head,
  events: header.events,
  rows,
})

/** The whole record was read and checked. */
const commitOf = ({ record: { header, bytes, rows } }: FoundRecord): Commit => ({
  expectedHead: header.head,
  events: readRecordEvents(header, bytes) ?? [],
  rows: rows.map(changeOf),
})
