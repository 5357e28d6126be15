/** The progress of long work: one line on a terminal, rewritten in place; no output elsewhere. */
import type { Progress } from '@varve/core'
import type { MigrationStage } from '../../maintenance/directory-arguments.ts'
import { printable } from './printable.ts'

export interface ProgressLine {
  show(label: string, progress: Progress): void
  /** As `show`, for work whose end is not known. */
  count(label: string, done: string): void
  /** Removes the line, so that other output starts on an empty line. */
  clear(): void
}

export interface ProgressTarget {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** What each stage of a copy of a store does. */
export const stageLabels: Readonly<Record<MigrationStage, string>> = {
  events: 'Copying the log',
  views: 'Making the views',
  bytes: 'Copying bytes',
  check: 'Reading it back',
}

/** What an opening does. */
export const openingLabel = 'Making the views again'

const everyMs = 100
const clearLine = '\r\u001b[K'

export function progressLine(target: ProgressTarget, now: () => number = () => performance.now()): ProgressLine {
  let shownAt = Number.NEGATIVE_INFINITY
  let label = ''
  const write = (text: string, how: () => string): void => {
    if (target.isTTY !== true || (text === label && now() - shownAt < everyMs)) return
    shownAt = now()
    label = text
    target.write(clearLine + printable(`${text}: ${how()}`))
  }
  return {
    show: (text, { done, total }) =>
      write(text, () => {
        const share = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 100
        return `${share} % (${done} of ${total})`
      }),
    count: (text, done) => write(text, () => done),
    clear() {
      if (label !== '') target.write(clearLine)
      label = ''
    },
  }
}
