/** The paths in the directory of a segment log. */
import { join } from 'node:path'
import { StorageError } from '@varve/core'
import { temporaryOf } from '../../files/durable-files.ts'
import type { FileSystem } from '../../files/file-system.ts'
import { firstSegment } from './log-position.ts'

const segmentName = /^(\d{10})\.log$/
const leftoverName = /^\d{10}\.log\.tmp$/

export const isSegmentName = (name: string): boolean => segmentName.test(name)

export const segmentPath = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(10, '0')}.log`)

/** The path of a segment until it is complete. */
export const unfinishedPath = (directory: string, number: number): string => temporaryOf(segmentPath(directory, number))

/** The database of the views. */
export const viewsPath = (directory: string): string => join(directory, 'views')

/**
 * Removes the unfinished files of a crash, and returns the number of the last segment; 0 when there is none.
 * @throws StorageError `LogCorrupt` when a segment before it is missing.
 */
export async function lastSegment(fs: FileSystem, directory: string): Promise<number> {
  const names = await fs.readdir(directory)
  for (const name of names.filter((each) => leftoverName.test(each))) await fs.unlink(join(directory, name))
  const numbers = names.flatMap((name) => segmentName.exec(name)?.[1] ?? []).map(Number)
  const last = Math.max(0, ...numbers)
  const there = new Set(numbers)
  for (let number = firstSegment; number <= last; number++) {
    if (!there.has(number)) throw segmentDamage(number, 'missing', 'is missing')
  }
  return last
}

/** `seq` is the first position that may be damaged, if it is known. */
export function segmentDamage(segment: number, kind: string, message: string, seq?: number): StorageError {
  const details = { kind, segment, ...(seq === undefined ? {} : { seq }) }
  return new StorageError('LogCorrupt', `Segment ${segment} of the log ${message}.`, { details })
}
