/** The progress of long work: one line on a terminal, rewritten in place; no output elsewhere. */
import type { Progress } from '@varve/core'

export interface ProgressLine {
  show(label: string, progress: Progress): void
  /** Removes the line, so that other output starts on an empty line. */
  clear(): void
}

export interface ProgressTarget {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const everyMs = 100
const clearLine = '\r\u001b[K'

export function progressLine(target: ProgressTarget, now: () => number = () => performance.now()): ProgressLine {
  let shownAt = Number.NEGATIVE_INFINITY
  let label = ''
  return {
    show(text, { done, total }) {
      if (target.isTTY !== true || (text === label && now() - shownAt < everyMs)) return
      shownAt = now()
      label = text
      const share = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 100
      target.write(`${clearLine}${text}: ${share} % (${done} of ${total})`)
    },
    clear() {
      if (label !== '') target.write(clearLine)
      label = ''
    },
  }
}
