/** Processor time that a test file uses: its worker, and the processes that the file starts. */
import { readFileSync } from 'node:fs'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file, in milliseconds: loading it, its tests, and the processes that it started and waited for. */
    processorTime?: number
  }
}

/** Linux reports times of processes in ticks of 10 ms, whatever the kernel uses itself. */
const tickMs = 10

/**
 * Processor time of this process and of the children that have ended, in milliseconds. Only Linux reports the children, so
 * elsewhere the time is too low.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + childrenTime()
}

function childrenTime(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name of the process, in parentheses, may contain spaces. The fields behind it begin with the third of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0] = fields.slice(13, 15).map(Number)
  return (user + system) * tickMs
}
