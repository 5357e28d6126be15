/**
 * Free space that is kept back, so that the log never meets a full disk in the middle of a commit. It queries the
 * system at most once a second, or again when many bytes were written since the last query.
 */
import type { Reserve, Room } from '@varve/core'
import { onMedium } from './errno.ts'
import type { FileSystem } from './file-system.ts'
import { nodeFileSystem } from './node-file-system.ts'

export interface DiskReserveOptions {
  /** Free bytes below which the medium counts as exhausted. @default 64 MiB */
  readonly minBytes?: number
  /** The same as a share of the whole medium; the larger of both counts. @default 0.01 */
  readonly minShare?: number
  /** Free files (inodes) below which the medium counts as exhausted, if it counts inodes at all. @default 64 */
  readonly minFiles?: number
  /** @default node:fs */
  readonly fs?: FileSystem
  /** A monotonic clock in milliseconds, from any start. @default performance.now */
  readonly now?: () => number
}

export interface DiskReserve extends Reserve {
  room(): Promise<Room>
  /** Adds to the bytes written since the last query, which make its result less reliable. */
  spend(bytes: number): void
}

const answerMsMax = 1000

/** What the system answered. */
interface Answer {
  readonly room: Room
  readonly isExhausted: boolean
}

/** `exhausted` and `room` reject with `BlobFailed` when the medium cannot be queried. */
export function diskReserve(path: string, options: DiskReserveOptions = {}): DiskReserve {
  const { minBytes = 64 * 1024 * 1024, minShare = 0.01, minFiles = 64, fs = nodeFileSystem } = options
  const now = options.now ?? (() => performance.now())
  const spentMax = minBytes / 8
  let answer: Promise<Answer> | undefined
  /** The result of `answer`, once it is there. */
  let known: Answer | undefined
  let askingSince = 0
  let spent = 0

  async function ask(): Promise<Answer> {
    const { bsize, blocks, bavail, files, ffree } = await fs.statfs(path)
    const total = blocks * bsize
    const room = { total, free: bavail * bsize, reserved: Math.max(minBytes, minShare * total) }
    return { room, isExhausted: room.free < room.reserved || (files > 0 && ffree < minFiles) }
  }

  function recent(isFresh: boolean): Answer | Promise<Answer> {
    if (!isFresh && answer !== undefined && now() - askingSince < answerMsMax && spent <= spentMax) {
      return known ?? answer
    }
    askingSince = now()
    spent = 0
    known = undefined
    const asking = onMedium('BlobFailed', 'Looking for free space', ask)
    asking.then(
      (found) => {
        if (answer === asking) known = found
      },
      () => {
        if (answer === asking) answer = undefined
      },
    )
    answer = asking
    return asking
  }

  return {
    exhausted({ fresh = false } = {}) {
      const found = recent(fresh)
      return found instanceof Promise ? found.then(({ isExhausted }) => isExhausted) : found.isExhausted
    },
    room: async () => (await recent(false)).room,
    spend(bytes) {
      spent += bytes
    },
  }
}
