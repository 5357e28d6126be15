/** A journal made of the parts of an opened segment log. */
import type { Commit, Journal, RowSnapshot } from '@varve/core'
import { closeAll } from '../files/close-all.ts'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { rowName } from '../journal-kit/row-name.ts'
import { holdState, purgeRows } from '../level-journal/purge-rows.ts'
import { hasValues } from './clear-segments.ts'
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
  const reader = layeredReader(parts)
  const turn = new CommitTurn({
    gate,
    head: () => writer.end.head,
    rows: reader,
    write: (commits) => writeGroup(parts, commits),
  })
  let closing: Promise<void> | undefined
  return {
    ...reader,
    async head() {
      gate.assertOpen()
      return writer.end.head
    },
    commit: (commit) => turn.commit(commit),
    events: (range) => readEvents({ ...parts, end: () => writer.end }, range),
    snapshot: () => rowSnapshot(parts),
    ...(parts.db.compactRange && { purge: (keys) => purge(parts, turn, keys) }),
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

/** Writes the commits in order, each run of one kind with one sync. */
async function writeGroup(parts: SegmentJournalParts, commits: readonly Commit[]): Promise<void> {
  for (const run of runsOf(commits)) {
    if (isOutsideLog(run[0])) await writeOutside(parts, run)
    else await append(parts, run)
  }
}

async function append({ gate, writer, views, overlay }: SegmentJournalParts, commits: readonly Commit[]) {
  await views.room()
  gate.assertWritable()
  const group = await failing(gate, () => writer.append(commits))
  overlay.add(group.commits, group.end)
  views.nudge()
}

/** A retry, or what a crash left, finds the rows removed and their values still in some segment. */
async function purge(parts: SegmentJournalParts, turn: CommitTurn, keys: readonly Uint8Array[]): Promise<boolean> {
  const { db, gate, reclaimer, views, writer } = parts
  const names = new Set(keys.map(rowName))
  const before = await turn.alone(async () => {
    gate.assertWritable()
    const rows = await layeredReader(parts).getMany(keys)
    const found = keys.filter((_, i) => rows[i] !== undefined)
    if (found.length > 0) await append(parts, [{ events: [], rows: found.map((key) => ({ key, value: null })) }])
    await endSegmentWith(parts, names)
    await views.writeAll()
    return writer.end.segment
  })
  gate.assertWritable()
  const areClear = await reclaimer.clear(names, before)
  return (await failing(gate, () => purgeRows(db, keys, { inTurn: (write) => write() }))) && areClear
}

/** Gives the last segment a successor if it has values of these rows: only then it can be copied. */
async function endSegmentWith(
  { files, gate, overlay, writer }: SegmentJournalParts,
  names: ReadonlySet<string>,
): Promise<void> {
  const { segment, offset: end } = writer.end
  // A damaged segment is not copied.
  const has = segment > 0 && (await hasValues(files, { segment, end }, names).catch(() => false))
  if (has) overlay.add([], (await failing(gate, () => writer.begin([]))).end)
}

async function writeOutside({ gate, views }: SegmentJournalParts, commits: readonly Commit[]): Promise<void> {
  gate.assertWritable()
  await failing(gate, () => views.putOutside(commits.flatMap(({ rows }) => rows)))
}

const isOutsideLog = (commit?: Commit): boolean => commit?.outsideLog === true

/** Adjacent commits that are written to the same place. */
function runsOf(commits: readonly Commit[]): readonly (readonly Commit[])[] {
  if (!commits.some(isOutsideLog)) return [commits]
  const runs: Commit[][] = []
  for (const commit of commits) {
    const run = runs.at(-1)
    if (run !== undefined && isOutsideLog(run[0]) === isOutsideLog(commit)) run.push(commit)
    else runs.push([commit])
  }
  return runs
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
  const snapshot = holdState(db, db.snapshot())
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
