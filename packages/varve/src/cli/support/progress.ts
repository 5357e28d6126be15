/** How far long work has come: one line on a terminal, rewritten in place; nothing anywhere else. */
import type { Progress } from '@varve/core'

export interface ProgressLine {
  show(label: string, progress: Progress): void
  /** Takes the line away, so that what follows starts on a clean one. */
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
