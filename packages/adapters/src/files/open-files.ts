/**
 * How many files may be open. A process that runs out fails wherever it happens to open the next one: if that is the
 * log, the store stops. So bodies and connections may only use a share of them.
 */
import { readFileSync } from 'node:fs'

/** For Node itself, the log and its tables, the witness, and a verification beside them. */
const keptBack = 40
/** For digest threads, five each: of a process that may open fewer than `threadsFrom` there are none. */
const keptForThreads = 20
const threadsFrom = 512
const shareMin = 4
const blobsMost = 4096

/** The limit of this process (`ulimit -n`); infinity where the system names none, or in another way. */
export function openFilesMax(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** What may be open at once for bodies, and for connections. */
export function openFilesShares(max = openFilesMax()): { readonly blobs: number; readonly connections: number } {
  const free = max - keptBack - (hasFilesForThreads(max) ? keptForThreads : 0)
  const blobs = Math.max(shareMin, Math.min(blobsMost, Math.floor(free / 2)))
  return { blobs, connections: Math.max(shareMin, free - blobs) }
}

/** Whether digest threads would take nothing that the log may need. */
export const hasFilesForThreads = (max = openFilesMax()): boolean => max >= threadsFrom
