/** Writes the bytes of one group to the file: small neighbours in one write, each large one in its own. */
import { bufferPool } from '../blobs/buffer-pool.ts'
import type { OpenFile } from '../files/file-system.ts'
import { writeAll } from '../files/write-all.ts'
import { allDone } from '../files/all-done.ts'

export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** From this size on, copying costs more than another write. */
const largeBytes = 128 * 1024
const togetherMax = 1024 * 1024
const buffers = bufferPool({ size: togetherMax, keptMax: 2 })

/** Pieces in the order of their offsets; gaps between them become zeros. Resolves when no write is running. */
export async function writeGroup(file: Pick<OpenFile, 'write'>, pieces: readonly Piece[]): Promise<void> {
  await allDone(runsOf(pieces).map((run) => writeRun(file, run)))
}

async function writeRun(file: Pick<OpenFile, 'write'>, run: readonly Piece[]): Promise<void> {
  const [first, last] = [run[0] as Piece, run.at(-1) as Piece]
  if (run.length === 1) return writeAll(file, first.bytes, first.offset)
  const staging = buffers.take()
  try {
    await writeAll(file, together(run, staging.subarray(0, endOf(last) - first.offset)), first.offset)
  } finally {
    buffers.give(staging)
  }
}

function runsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const runs: Piece[][] = []
  for (const piece of pieces) {
    const run = runs.at(-1)
    const first = run?.[0]
    const small = piece.bytes.length < largeBytes && first !== undefined && first.bytes.length < largeBytes
    if (small && endOf(piece) - first.offset <= togetherMax) run?.push(piece)
    else runs.push([piece])
  }
  return runs
}

function together(run: readonly Piece[], into: Uint8Array): Uint8Array {
  const start = run[0]?.offset ?? 0
  let end = start
  for (const piece of run) {
    into.fill(0, end - start, piece.offset - start)
    into.set(piece.bytes, piece.offset - start)
    end = endOf(piece)
  }
  return into
}

const endOf = ({ offset, bytes }: Piece): number => offset + bytes.length
