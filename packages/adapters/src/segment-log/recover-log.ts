/**
 * Taking the log up where the views stand. What was written last may be in memory of the system and not on the disk: a
 * sync that failed before would not fail again. So those commits are written anew, into a segment of their own, before they
 * become visible.
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
  /** Stands where the views stand. */
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
    // A segment whose name may not be durable is made once more under the same name: no later sync of the directory
    // makes good for one that failed.
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

/** Everything of it was read and checked. */
const commitOf = ({ record: { header, bytes, rows } }: FoundRecord): Commit => ({
  expectedHead: header.head,
  events: readRecordEvents(header, bytes) ?? [],
  rows: rows.map(changeOf),
})
