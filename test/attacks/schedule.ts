/** What the kernel's scheduler did with the main thread of a process. */
import { readFileSync } from 'node:fs'

/** Milliseconds since the thread began. */
export interface Schedule {
  /** On a processor. */
  readonly ran: number
  /** Ready to run while another thread had the processor. */
  readonly waited: number
}

/** Zeros where /proc has no such file. */
export function scheduleOf(pid: number): Schedule {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ').map(Number)
    return { ran: ran / 1e6, waited: waited / 1e6 }
  } catch {
    return { ran: 0, waited: 0 }
  }
}
