/**
 * A journal on append-only files. A commit is one record in a segment, durable with one write and one sync. The views
 * follow in a database, in the background. So a commit costs as much as a bare log, however many rows it changes.
 *
 * The log is the source of truth: the views are computed from it whenever they lag or are missing.
 */
import { StorageError } from '@varve/core'
import { createDirectories, ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { patient } from '../files/patient-file-system.ts'
import { type JournalGate, journalGate } from '../journal-kit/journal-gate.ts'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { type LevelDirectoryOptions, openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { beforeAll, firstSegment, type LogPosition } from './format/log-position.ts'
import { LogWriter, randomSalt } from './log-writer.ts'
import { Overlay } from './overlay.ts'
import { Reclaimer } from './reclaimer.ts'
import { recoverLog } from './recover-log.ts'
import { SegmentFiles } from './segment-files.ts'
import { segmentHeaderLength } from './format/segment-header.ts'
import { type SegmentJournal, segmentJournal } from './segment-journal.ts'
import { lastSegment, viewsPath } from './format/segment-names.ts'
import { decodePosition, decodeUsage, positionKey, type SegmentUsage, usageBounds } from './format/view-entries.ts'
import { ViewsWriter } from './views-writer.ts'

/** Sizes in bytes. */
export interface SegmentLogOptions {
  /** Make a log if there is none. Never for a store that has answered a request. @default false */
  readonly createIfMissing?: boolean
  /** A segment of this length gets a successor. @default 64 MiB */
  readonly segmentBytes?: number
  /** Values of this length or more stay in the log, and the views hold their places. @default 1 KiB */
  readonly longFrom?: number
  /** The views are written when this many bytes of rows have gathered. @default 1 MiB */
  readonly viewsBatchBytes?: number
  /** They are also written when they are this far behind the log, to limit memory and recovery time. @default 16 MiB */
  readonly viewsLagBytes?: number
  /** A segment is copied without its dead values when they take this much, and half of its values. @default 4 MiB */
  readonly reclaimBytes?: number
  /** The most segments that are open for reading. @default 64 */
  readonly openFilesMax?: number
  /** Options of the database of the views. */
  readonly level?: Omit<LevelDirectoryOptions, 'createIfMissing'>
  /** The file system for all access to the disk except that of the database. @default node:fs */
  readonly fs?: FileSystem
  /** @default LevelDB */
  readonly openViews?: (path: string, options: LevelDirectoryOptions) => Promise<LevelDatabase>
  /** Returns 16 random bytes for a new segment. @default node:crypto */
  readonly salt?: () => Uint8Array
}

/**
 * The caller must own the directory by another lock first.
 * @throws StorageError `LogCorrupt` when the log is missing (`details.kind` is `missing`) or damaged where no crash
 * explains it (`details.segment` names the segment), `JournalFailed`, `NoSpace` when the medium fails.
 */
export async function openSegmentLog(directory: string, options: SegmentLogOptions = {}): Promise<SegmentJournal> {
  const { createIfMissing = false, openViews = openLevelDirectory } = options
  const fs = patient(options.fs ?? nodeFileSystem)
  const last = await onMedium('JournalFailed', 'Opening the log', () => findLog(fs, directory, createIfMissing))
  const sizes = { writeBufferSize: 8 * 1024 * 1024, ...options.level }
  const db = await onMedium('JournalFailed', 'Opening the views', () =>
    openViews(viewsPath(directory), { ...sizes, createIfMissing: true }),
  )
  const files = new SegmentFiles(fs, directory, options.openFilesMax ?? 64)
  const held = [() => db.close(), () => files.close()]
  try {
    const gate = journalGate()
    const setting = { fs, directory, options, db, gate, files }
    return await onMedium('JournalFailed', 'Reading the log', () => takeUp(setting, last, held))
  } catch (error) {
    for (const release of held.reverse()) await release().catch(() => undefined)
    throw error
  }
}

async function findLog(fs: FileSystem, directory: string, createIfMissing: boolean): Promise<number> {
  if (createIfMissing) await createDirectories(fs, directory)
  let last = 0
  await allowing('ENOENT', async () => {
    last = await lastSegment(fs, directory)
  })
  if (last === 0 && !createIfMissing) throw missing()
  await ensureDirectory(fs, viewsPath(directory))
  return last
}

interface Setting {
  readonly fs: FileSystem
  readonly directory: string
  readonly options: SegmentLogOptions
  readonly db: LevelDatabase
  readonly gate: JournalGate
  readonly files: SegmentFiles
}

/** Brings views and log to the same position, whichever of them is behind. */
async function takeUp(setting: Setting, last: number, held: (() => Promise<void>)[]): Promise<SegmentJournal> {
  const { fs, directory, options, db, gate, files } = setting
  const { longFrom = 1024, salt = randomSalt } = options
  const stored = await db.get(positionKey, {})
  if (last === 0 && stored !== undefined) throw missing()
  if (stored === undefined) await keepViews(fs, directory, last)
  const overlay = new Overlay(stored === undefined ? startOfLog : decodePosition(stored))
  const usage = await readUsage(db)
  const reclaim = (): void => reclaimer.nudge()
  const views = new ViewsWriter({
    db,
    gate,
    overlay,
    usage,
    batchBytes: options.viewsBatchBytes ?? 1024 * 1024,
    batchLogBytes: options.viewsLagBytes ?? 16 * 1024 * 1024,
    onWritten: reclaim,
  })
  const deadBytesMin = options.reclaimBytes ?? 4 * 1024 * 1024
  const reclaimer = new Reclaimer({ fs, directory, files, db, views, usage, deadBytesMin })
  held.push(() => reclaimer.stop())
  const writerOptions = { fs, directory, salt, longFrom, segmentBytes: options.segmentBytes ?? 64 * 1024 * 1024 }
  const begin = (end: LogPosition): LogWriter => {
    const writer = new LogWriter(writerOptions, end)
    held.push(() => writer.close())
    return writer
  }
  const writer = await recoverLog({ files, overlay, views, begin }, last)
  gate.assertWritable()
  return segmentJournal({ db, gate, overlay, files, writer, views, reclaimer })
}

/** If the next crash could remove the views, the whole log would have to be read again. */
async function keepViews(fs: FileSystem, directory: string, last: number): Promise<void> {
  await syncDirectory(fs, viewsPath(directory))
  // The first segment makes the names in `directory` durable.
  if (last > 0) await syncDirectory(fs, directory)
}

async function readUsage(db: LevelDatabase): Promise<Map<number, SegmentUsage>> {
  const iterator = db.iterator(usageBounds)
  const usage = new Map<number, SegmentUsage>()
  try {
    for (;;) {
      const entries = await iterator.nextv(1000)
      if (entries.length === 0) return usage
      for (const entry of entries) usage.set(...decodeUsage(...entry))
    }
  } finally {
    await iterator.close()
  }
}

/** The position of the first record, once there is one. */
const startOfLog: LogPosition = { ...beforeAll, segment: firstSegment, offset: segmentHeaderLength }

const missing = (): StorageError =>
  new StorageError('LogCorrupt', 'The log is missing.', { details: { kind: 'missing' } })
