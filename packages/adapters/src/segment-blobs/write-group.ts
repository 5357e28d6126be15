/** The bytes of one group on their way to the file: small neighbours in one write, large ones each in their own. */
import type { OpenFile } from '../files/file-system.ts'
import { writeAll } from '../files/write-all.ts'

export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** From here on copying costs more than another write. */
const largeBytes = 128 * 1024
const togetherMax = 1024 * 1024

/** Pieces in the order of their offsets; what is between two of them becomes zeros. Resolves when no write is under way. */
export async function writeGroup(file: Pick<OpenFile, 'write'>, pieces: readonly Piece[]): Promise<void> {
  const written = await Promise.allSettled(gather(pieces).map(({ bytes, offset }) => writeAll(file, bytes, offset)))
  for (const outcome of written) if (outcome.status === 'rejected') throw outcome.reason
}

function gather(pieces: readonly Piece[]): readonly Piece[] {
  const runs: Piece[][] = []
  for (const piece of pieces) {
    const run = runs.at(-1)
    const first = run?.[0]
    const small = piece.bytes.length < largeBytes && first !== undefined && first.bytes.length < largeBytes
    if (small && endOf(piece) - first.offset <= togetherMax) run?.push(piece)
    else runs.push([piece])
  }
  return runs.map(together)
}

function together(run: readonly Piece[]): Piece {
  const [first, last] = [run[0] as Piece, run.at(-1) as Piece]
  if (run.length === 1) return first
  const bytes = Buffer.alloc(endOf(last) - first.offset)
  for (const piece of run) bytes.set(piece.bytes, piece.offset - first.offset)
  return { offset: first.offset, bytes }
}

const endOf = ({ offset, bytes }: Piece): number => offset + bytes.length
