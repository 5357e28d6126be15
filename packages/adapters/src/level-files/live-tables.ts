/** The tables of a database: the result of all edits in its manifest (leveldb, db/version_edit.cc). */
import { LevelFormatError, LevelReader } from './level-reader.ts'

/** Field numbers of an edit. */
const tags = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLogNumber: 9,
} as const

/** The entry of the manifest for a table. */
export interface LiveTable {
  /** In bytes. */
  readonly size: number
  readonly firstKey: Uint8Array
  readonly lastKey: Uint8Array
}

/**
 * By number.
 * @throws LevelFormatError for an edit that LevelDB did not write.
 */
export function liveTables(edits: Iterable<Uint8Array>): ReadonlyMap<number, LiveTable> {
  const live = new Map<number, LiveTable>()
  for (const edit of edits) apply(live, new LevelReader(edit))
  return live
}

function apply(live: Map<number, LiveTable>, edit: LevelReader): void {
  const gone: number[] = []
  const made: (readonly [number, LiveTable])[] = []
  while (!edit.ended) {
    const tag = edit.number()
    switch (tag) {
      case tags.comparator:
        edit.string()
        break
      case tags.logNumber:
      case tags.nextFile:
      case tags.lastSequence:
      case tags.previousLogNumber:
        edit.number()
        break
      case tags.compactPointer:
        edit.number()
        edit.string()
        break
      case tags.deletedFile:
        edit.number()
        gone.push(edit.number())
        break
      case tags.newFile:
        made.push(newFile(edit))
        break
      default:
        throw new LevelFormatError(`it has a field of an unknown kind, ${tag}`)
    }
  }
  // An edit that moves a table to another level both deletes and adds it.
  for (const number of gone) live.delete(number)
  for (const [number, table] of made) live.set(number, table)
}

function newFile(edit: LevelReader): readonly [number: number, table: LiveTable] {
  edit.number()
  const number = edit.number()
  return [number, { size: edit.number(), firstKey: edit.string(), lastKey: edit.string() }]
}
