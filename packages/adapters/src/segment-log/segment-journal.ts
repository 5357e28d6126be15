/** A journal made of the parts of an opened segment log. */
import type { Commit, Journal, RowSnapshot } from '@varve/core'
import { closeAll } from '../files/close-all.ts'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { CommitTurn } from '../journal-kit/commit-turn.ts'
import { readEvents } from './event-reader.ts'
import { layeredReader } from './layered-reader.ts'
import type { ReaderParts } from './reader-parts.ts'
import type { LogWriter } from './log-writer.ts'
import type { Reclaimer } from './reclaimer.ts'
import type { ViewsWriter } from './views-writer.ts'

export interface SegmentJournalParts extends ReaderParts {
  readonly writer: LogWriter
  readonly views: ViewsWriter
  readonly reclaimer: Reclaimer
}

export interface SegmentJournal extends Journal {
  /** Resolves when the views have all commits, and no segment is worth reclaiming. */
  settle(): Promise<void>
}

export function segmentJournal(parts: SegmentJournalParts): SegmentJournal {
  const { gate, writer, views, reclaimer } = parts
  const turn = new CommitTurn({ gate, head: () => writer.end.head, write: (commits) => writeGroup(parts, commits) })
  let closing: Promise<void> | undefined
  return {
    ...layeredReader(parts),
    async head() {
      gate.assertOpen()
      return writer.end.head
    },
    commit: (commit) => turn.commit(commit),
    events: (range) => readEvents({ ...parts, end: () => writer.end }, range),
    snapshot: () => rowSnapshot(parts),
    async settle() {
      gate.assertOpen()
      await turn.idle()
      await views.writeAll()
      await reclaimer.idle()
    },
    close() {
      gate.close()
      closing ??= turn.idle().then(() => closeParts(parts))
      return closing
    },
  }
}

async function writeGroup(
  { gate, writer, views, overlay }: SegmentJournalParts,
  commits: readonly Commit[],
): Promise<void> {
  await views.room()
  gate.assertWritable()
  const group = await failing(gate, () => writer.append(commits))
  overlay.add(group.commits, group.end)
  views.nudge()
}

async function failing<T>(gate: JournalGate, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof TypeError) throw cause
    throw gate.fail(cause)
  }
}

function rowSnapshot(parts: SegmentJournalParts): RowSnapshot {
  const { gate, db, overlay, files } = parts
  gate.assertOpen()
  const snapshot = db.snapshot()
  let closed = false
  const held = {
    snapshot,
    layers: overlay.pin(),
    pin: files.pin(),
    assertHeld() {
      if (closed) throw new TypeError('The snapshot is closed.')
    },
  }
  return {
    ...layeredReader(parts, held),
    async close() {
      closed = true
      held.pin.release()
      await snapshot.close()
    },
  }
}

/** Changes that did not reach the views are added when the log is opened again. */
const closeParts = ({ writer, views, reclaimer, files, db }: SegmentJournalParts): Promise<void> =>
  closeAll([
    () => reclaimer.stop(),
    () => views.writeAll(),
    () => writer.close().catch(() => undefined),
    () => files.close(),
    () => db.close(),
  ])
