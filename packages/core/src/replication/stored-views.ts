/** The rows of all views, as files of a replica have them. */
import { isStorageError, type StorageError } from '../base/errors.ts'
import { compareBytes } from '../bytes/bytes.ts'
import type { Hashing, ReplicaFile, Row, Seq } from '../ports/index.ts'
import { tipAt } from '../events/log.ts'
import type { LogSource, SourceViews } from '../repair/log-source.ts'
import { viewRange, viewsVersion } from '../views/tables.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { parsePartName, viewsPrefix } from './replica-names.ts'
import { type PartPorts, StoredPart } from './stored-part.ts'

/** What has views, and the log that they are of. */
export type ViewsSource = Pick<LogSource, 'journal'> & Required<Pick<LogSource, 'views'>>

/** A file that has them, by its name. */
export interface ViewsFile extends ReplicaFile {
  /** The last event that they contain. */
  readonly seq: Seq
  readonly term: number
}

/** The files, the oldest first. */
export async function listViews({ files }: Pick<PartPorts, 'files'>): Promise<readonly ViewsFile[]> {
  const found: ViewsFile[] = []
  for await (const file of files.list(viewsPrefix)) {
    const named = parsePartName(file.name)
    if (named !== undefined) found.push({ ...file, seq: named.from, term: named.term })
  }
  return found.toSorted((a, b) => a.term - b.term || a.seq - b.seq)
}

/** Those of this release's version at `to` or before, the latest first. What is damaged or gone is left out. What the target throws passes. */
export async function* storedViews(ports: PartPorts, to: Seq): AsyncGenerator<SourceViews> {
  const files = (await listViews(ports)).filter(({ seq }) => seq <= to)
  for (const file of files.toSorted((a, b) => b.seq - a.seq || b.term - a.term)) {
    const part = await openViews(ports, file)
    if (part?.facts.views === viewsVersion)
      yield { seq: part.facts.to, hash: part.facts.last, rows: () => rowsOf(part) }
  }
}

/** The last event up to `to` of which there are views; 0 if there are none. `isRead`: all of their rows are read. What the target throws passes. */
export async function viewsOf(
  source: ViewsSource,
  to: Seq,
  { hashing, isRead }: { readonly hashing: Hashing; readonly isRead: boolean },
): Promise<Seq> {
  for await (const { seq, hash, rows } of source.views(to)) {
    if ((await tipAt({ journal: source.journal, hashing }, seq)).hash !== hash) continue
    if (!isRead || (await isWhole(rows()))) return seq
  }
  return 0
}

async function isWhole(rows: AsyncIterable<readonly Row[]>): Promise<boolean> {
  try {
    for await (const _ of rows);
    return true
  } catch (error) {
    if (isStorageError(error, 'ReplicaCorrupt')) return false
    throw error
  }
}

/** @throws StorageError `ReplicaCorrupt`, also for keys that views do not have */
async function* rowsOf(part: StoredPart): AsyncGenerator<readonly Row[]> {
  let before: Uint8Array | undefined
  for await (const rows of part.views()) {
    for (const [key] of rows) {
      const isView = compareBytes(key, viewRange.gte) >= 0 && compareBytes(key, viewRange.lt) < 0
      const isNext = before === undefined || compareBytes(before, key) < 0
      if (!isView || !isNext) throw misplaced(part.name)
      before = key
    }
    yield rows
  }
}

const misplaced = (name: string): StorageError =>
  replicaCorrupt('form', `The file ${name} of the replica has rows that are no views.`, name)

/** `undefined` if the file is damaged or gone, or of a newer release. */
export async function openViews(ports: PartPorts, file: ReplicaFile): Promise<StoredPart | undefined> {
  try {
    return await StoredPart.open(ports, file)
  } catch (error) {
    if (isStorageError(error, 'ReplicaCorrupt', 'UnsupportedFormat')) return undefined
    throw error
  }
}
