/** Creates a segment that is complete and durable before it has its own name. */
import { dirname } from 'node:path'
import type { Commit } from '@varve/core'
import { privateFile, syncDirectory } from '../files/durable-files.ts'
import { allowing } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { writeAll } from '../files/write-all.ts'
import { encodeGroup, type EncodedGroup } from './format/encode-group.ts'
import type { LogPosition } from './format/log-position.ts'
import { encodeSegmentHeader, recordSeed, segmentHeaderLength } from './format/segment-header.ts'
import { segmentPath, unfinishedPath } from './format/segment-names.ts'

export interface NewSegment {
  readonly number: number
  /** The end of the log before this segment. */
  readonly previous: LogPosition
  readonly salt: Uint8Array
  /** The commits that it begins with. */
  readonly carried: readonly Commit[]
  readonly longFrom: number
}

export interface CreatedSegment extends EncodedGroup {
  readonly seed: number
}

export async function createSegment(fs: FileSystem, directory: string, made: NewSegment): Promise<CreatedSegment> {
  const { number, previous, salt, carried, longFrom } = made
  const start = { ...previous, segment: number, offset: segmentHeaderLength }
  const seed = recordSeed({ salt, number, previous, born: 0 })
  const group = encodeGroup(carried, start, { seed, longFrom, buffer: (length) => Buffer.allocUnsafeSlow(length) })
  const header = encodeSegmentHeader({ salt, number, previous, born: group.end.offset })
  const temporary = unfinishedPath(directory, number)
  await allowing('ENOENT', () => fs.unlink(temporary))
  const file = await fs.open(temporary, 'wx', privateFile)
  try {
    await writeAll(file, Buffer.concat([header, group.bytes]), 0)
    await file.sync()
  } finally {
    await file.close()
  }
  const path = segmentPath(directory, number)
  await fs.rename(temporary, path)
  await syncDirectory(fs, dirname(path))
  return { ...group, seed }
}
