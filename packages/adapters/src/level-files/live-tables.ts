/** Which tables make up a database: what the edits in its manifest add up to (leveldb, db/version_edit.cc). */
import { LevelFormatError, LevelReader } from './level-reader.ts'

/** Fields of an edit. */
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

/**
 * Length in bytes by number.
 * @throws LevelFormatError for an edit that LevelDB did not write.
 */
export function liveTables(edits: Iterable<Uint8Array>): ReadonlyMap<number, number> {
  const live = new Map<number, number>()
  for (const edit of edits) apply(live, new LevelReader(edit))
  return live
}

function apply(live: Map<number, number>, edit: LevelReader): void {
  const gone: number[] = []
  const made: (readonly [number, number])[] = []
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
  // A table that moves to another level is gone and made in one edit.
  for (const number of gone) live.delete(number)
  for (const [number, size] of made) live.set(number, size)
}

function newFile(edit: LevelReader): readonly [number: number, size: number] {
  edit.number()
  const number = edit.number()
  const size = edit.number()
  // The first and the last key.
  edit.string()
  edit.string()
  return [number, size]
}
