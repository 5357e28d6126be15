/**
 * How far erasures were carried out in a replica: files `erased/TERM-NUMBER`, of which the last one counts. They only save work, as the
 * log says what is erased.
 */
import { isStorageError } from '../base/errors.ts'
import type { BlobId, ReplicaFiles, Seq } from '../ports/index.ts'
import { boolean, integer, text } from '../schema/scalars.ts'
import type { Schema } from '../schema/schema.ts'
import { array, object } from '../schema/structures.ts'
import { createDocument, readDocument, replicaFormat } from './replica-files-json.ts'
import { lastCounting, type LineStart } from './replica-line.ts'
import { markName, markPrefix, parseMark } from './replica-names.ts'

/** Bytes that were removed from the replica. A request that a target carries out late can bring them back. */
export interface Removed {
  readonly id: BlobId
  readonly isBlob: boolean
  readonly hasRows: boolean
  readonly seq: Seq
  readonly freedBy: Seq
  /** Whether somebody had them erased. */
  readonly isRequested: boolean
  /** The term in which they were removed. */
  readonly term: number
}

export interface ErasureMark {
  readonly format: number
  readonly term: number
  /** What somebody had erased is removed, up to this event. */
  readonly requested: Seq
  /** What sweeps erased is removed, up to this event. */
  readonly swept: Seq
  /** What was removed last. */
  readonly removed: readonly Removed[]
  /** The files of which this is known. */
  readonly files: readonly string[]
}

const positive = integer({ min: 1 })
const position = integer({ min: 0 })
const filesMax = 100_000
/** How many that somebody had erased are remembered, and how many that sweeps erased. */
const rememberedMax = 1000

const markSchema: Schema<ErasureMark> = object<ErasureMark>({
  format: positive,
  term: positive,
  requested: position,
  swept: position,
  removed: array(
    object<Removed>({
      id: text({ max: 64 }),
      isBlob: boolean,
      hasRows: boolean,
      seq: positive,
      freedBy: positive,
      isRequested: boolean,
      term: positive,
    }),
    { max: 2 * rememberedMax },
  ),
  files: array(text({ max: 200 }), { max: filesMax }),
})

/** Those that are remembered: the last ones. */
export const remembered = (removed: readonly Removed[]): readonly Removed[] =>
  [true, false].flatMap((isRequested) =>
    removed.filter((each) => each.isRequested === isRequested).slice(-rememberedMax),
  )

/** The last mark that can be read, for the events that count. @throws StorageError `UnsupportedFormat`; what the target throws */
export async function readMark(files: ReplicaFiles, starts: readonly LineStart[]): Promise<ErasureMark> {
  const names: string[] = []
  for await (const { name } of files.list(markPrefix)) if (parseMark(name) !== undefined) names.push(name)
  for (const name of names.sort().toReversed()) {
    const mark = await readDocument(files, name, markSchema).catch(undefinedIfDamaged)
    if (mark !== undefined) return counting(mark, starts)
  }
  return { format: replicaFormat, term: 1, requested: 0, swept: 0, removed: [], files: [] }
}

/** A branch that was left says nothing about the events that the replica has in its place. */
function counting(mark: ErasureMark, starts: readonly LineStart[]): ErasureMark {
  const { term } = mark
  const last = (to: Seq): Seq => (to === 0 ? 0 : lastCounting({ term, from: 1, to }, starts))
  const removed = mark.removed.filter(({ seq }) => seq <= last(seq))
  return { ...mark, requested: last(mark.requested), swept: last(mark.swept), removed }
}

function undefinedIfDamaged(error: unknown): undefined {
  if (!isStorageError(error, 'ReplicaCorrupt')) throw error
}

/** Writes a mark, and deletes those before it. */
export async function writeMark(files: ReplicaFiles, mark: Omit<ErasureMark, 'format'>): Promise<void> {
  const names: string[] = []
  for await (const { name } of files.list(markPrefix)) names.push(name)
  const numbers = names.flatMap((name) => parseMark(name) ?? []).filter(({ term }) => term === mark.term)
  let number = numbers.reduce((last, each) => Math.max(last, each.number), 0)
  while (!(await createDocument(files, markName(mark.term, ++number), { format: replicaFormat, ...mark })));
  const last = markName(mark.term, number)
  const before = names.filter((name) => name < last)
  if (before.length > 0) await files.delete(before)
}
