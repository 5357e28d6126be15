/** Scrubs a store repeatedly: one whole pass in each period, at a set rate. An interrupted pass continues. */
import {
  type Divergence,
  isStorageError,
  type Jobs,
  type ScrubPosition,
  type ScrubReport,
  type Store,
} from '@varve/core'
import { rest } from './rest.ts'
import type { ScrubBookmark } from './scrub-bookmark.ts'

/** When and how fast a store is scrubbed in the background. */
export interface ScrubSettings {
  /** The most bytes read per second, on average. @default 10 MiB */
  readonly bytesPerSecond?: number
  /** From the end of one pass to the beginning of the next, in milliseconds. @default 7 days */
  readonly everyMs?: number
  /** Called for each damage found, once per pass. */
  onDivergence?(divergence: Divergence): void
  /** Called after each whole pass. */
  onPass?(report: ScrubReport): void
}

export interface ScrubSchedule extends Required<Pick<ScrubSettings, 'bytesPerSecond' | 'everyMs'>> {
  readonly onDivergence?: (divergence: Divergence) => void
  readonly onPass?: (report: ScrubReport) => void
  readonly bookmark: ScrubBookmark
}

/** The longest pause between two checks of the period, since timers have a limited range. */
const lookMsMax = 60_000
const bookmarkEveryMs = 10_000

/**
 * Resolves when the signal aborts, or the store is closed. Never rejects. Of several engines on a log, one looks and scrubs
 * while the others wait.
 */
export async function scrubAgainAndAgain(store: Store, schedule: ScrubSchedule, jobs: Jobs): Promise<void> {
  const { signal } = jobs
  const { everyMs } = schedule
  while (!signal.aborted && store.state !== 'closed') {
    const passed = await jobs.alone('scrub', () => scrubIfDue(store, schedule, signal)).catch(refused(signal))
    await rest(passed === 'whole' ? Math.min(everyMs, lookMsMax) : lookMsMax, signal)
  }
}

/** Another engine may have taken the lease. */
const refused =
  (signal: AbortSignal) =>
  (error: unknown): 'cut off' => {
    if (!signal.aborted && !isStorageError(error)) throw error
    return 'cut off'
  }

async function scrubIfDue(store: Store, schedule: ScrubSchedule, signal: AbortSignal): Promise<'whole' | 'cut off'> {
  const { passedAt, position } = await schedule.bookmark.read()
  const due = position !== undefined || Date.now() - passedAt >= schedule.everyMs || Date.now() < passedAt
  if (!due || store.state !== 'open') return 'whole'
  const passed = await onePass(store, schedule, { passedAt, ...(position && { position }) }, signal)
  if (passed === 'whole') await schedule.bookmark.write({ passedAt: Date.now() })
  return passed
}

async function onePass(
  store: Store,
  { bytesPerSecond, onDivergence, onPass, bookmark }: ScrubSchedule,
  { passedAt, position }: { readonly passedAt: number; readonly position?: ScrubPosition },
  signal: AbortSignal,
): Promise<'whole' | 'cut off'> {
  let last = position
  let writtenAt = Date.now()
  try {
    const report = await store.scrub({
      bytesPerSecond,
      signal,
      ...(position && { from: position }),
      ...(onDivergence && { onDivergence }),
      onProgress({ position: reached }) {
        last = reached
        if (Date.now() - writtenAt < bookmarkEveryMs) return
        writtenAt = Date.now()
        void bookmark.write({ passedAt, position: reached })
      },
    })
    onPass?.(report)
    return 'whole'
  } catch (error) {
    if (!signal.aborted && !isStorageError(error)) throw error
    if (last !== undefined) await bookmark.write({ passedAt, position: last })
    return 'cut off'
  }
}
