/**
 * How many files may be open. A process that reaches its limit fails at the next file it opens: if that is a file of
 * the log, the store stops. So bodies and connections may only use a share of the limit.
 */
import { readFileSync } from 'node:fs'

/** For Node itself, the log and its tables, the witness, and a verification that runs meanwhile. */
const keptBack = 40
/** For digest threads, five each. A process that may open fewer than `threadsFrom` files has no digest threads. */
const keptForThreads = 20
const threadsFrom = 512
const shareMin = 4
const blobsMost = 4096

/** The limit of this process (`ulimit -n`); infinity if `/proc` does not show it. */
export function openFilesMax(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** How many files may be open at once for bodies, and for connections. */
export function openFilesShares(max = openFilesMax()): { readonly blobs: number; readonly connections: number } {
  const free = max - keptBack - (hasFilesForThreads(max) ? keptForThreads : 0)
  const blobs = Math.max(shareMin, Math.min(blobsMost, Math.floor(free / 2)))
  return { blobs, connections: Math.max(shareMin, free - blobs) }
}

/** Whether the limit leaves enough files for digest threads beside those that the log may need. */
export const hasFilesForThreads = (max = openFilesMax()): boolean => max >= threadsFrom
