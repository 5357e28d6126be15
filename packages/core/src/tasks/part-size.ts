/** How many changes one commit takes. Other writers wait for it: see ADR 36 and ADR 43. */
import type { Parted } from '../api/types/index.ts'
import type { Cause } from '../events/index.ts'
import { StorageError } from '../base/errors.ts'

/** The maximum number of changes in one commit. */
export const changesMax = 250

/** In each commit of several, unless the caller chooses another number. */
const partSizeDefault = 100

type PartOptions = Pick<Parted, 'inParts' | 'partSize'>

const tooLarge = { restore: 'RestoreTooLarge', merge: 'MergeTooLarge', undo: 'UndoTooLarge' } as const

/** @throws StorageError `RestoreTooLarge`, `MergeTooLarge`, `UndoTooLarge` */
export function assertOneCommit(kind: Cause['kind'], changes: number, { inParts = false }: PartOptions): void {
  if (changes <= changesMax || inParts) return
  const message = `The ${kind} makes ${changes} changes, and one commit takes ${changesMax}: allow several with the option inParts, or choose fewer.`
  throw new StorageError(tooLarge[kind], message, { details: { changes, max: changesMax } })
}

/** At least one part, which may be empty. */
export function partsOf<C>(changes: readonly C[], options: PartOptions): readonly (readonly C[])[] {
  const size = sizeOf(options, changes.length)
  const parts = [changes.slice(0, size)]
  for (let from = size; from < changes.length; from += size) parts.push(changes.slice(from, from + size))
  return parts
}

function sizeOf({ inParts = false, partSize }: PartOptions, changes: number): number {
  if (!inParts) return changesMax
  return partSize ?? (changes <= changesMax ? changesMax : partSizeDefault)
}
