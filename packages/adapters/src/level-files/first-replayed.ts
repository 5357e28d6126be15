/** Which events LevelDB holds only in its own log, and reads back when it is opened after a crash. */
import type { Seq } from '@varve/core'
import type { FileSystem } from '../files/file-system.ts'
import { positionIn } from '../journal-kit/key-spaces.ts'
import { isLogFile } from './level-file-names.ts'
import { LevelFormatError, LevelReader } from './level-reader.ts'
import { levelRecords } from './level-records.ts'
import { maskedCrc } from './masked-crc.ts'
import { readLevelFile } from './read-level-file.ts'

/** LevelDB's sequence number, and the number of changes in the record. */
const batchHeaderLength = 12
const operations = { delete: 0, put: 1 } as const

/**
 * The position of the first event in the logs of a database, which hold commits in order: all earlier events are in
 * tables. `undefined`, for unknown, when a log does not begin as LevelDB writes it, or holds no event.
 */
export async function firstReplayed(
  fs: FileSystem,
  directory: string,
  names: Iterable<string>,
): Promise<Seq | undefined> {
  const crcOf = await maskedCrc()
  let first = Number.POSITIVE_INFINITY
  for (const name of names) {
    if (!isLogFile(name)) continue
    const log = await readLevelFile(fs, `${directory}/${name}`)
    if (log === undefined || log.length === 0) continue
    const position = log === 'directory' ? undefined : firstEventIn(levelRecords(log, crcOf))
    if (position === undefined) return undefined
    first = Math.min(first, position)
  }
  return Number.isFinite(first) ? first : undefined
}

function firstEventIn(batches: Iterable<Uint8Array>): Seq | undefined {
  try {
    for (const batch of batches)
      for (const key of keysPut(batch)) {
        const position = positionIn(key)
        if (position !== undefined) return position
      }
    return undefined
  } catch (error) {
    if (error instanceof LevelFormatError) return undefined
    throw error
  }
}

/** The keys that a batch sets (leveldb, db/write_batch.cc). @throws LevelFormatError unless it is a batch. */
function* keysPut(batch: Uint8Array): Generator<Uint8Array> {
  const reader = new LevelReader(batch)
  reader.bytes(batchHeaderLength)
  while (!reader.ended) {
    const operation = reader.number()
    const key = reader.string()
    if (operation === operations.delete) continue
    if (operation !== operations.put) throw new LevelFormatError('it has an operation of an unknown kind')
    reader.string()
    yield key
  }
}
