import { readdirSync } from 'node:fs'
import type { Source } from './meter.ts'
import { bytesWritten, ownMemory, statFields } from './proc.ts'

/** The unit of times in `/proc/PID/stat`: the kernel reports hundredths of a second on every machine. */
const microsPerTick = 10_000

interface Process {
  readonly pid: string
  readonly stat: readonly string[]
}

/**
 * What all processes of a session use, as Linux reports it. A rival is a program that may start others. `leader` is the
 * process that leads the session. Reading throws where there is no `/proc`.
 */
export const sessionLedBy = (leader: number): Source => ({
  counts() {
    let [ticks, written] = [0, 0]
    for (const { pid, stat } of processesOf(leader)) {
      // Times of the process itself, and of its children that have ended.
      ticks += stat.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      written += bytesWritten(pid) ?? 0
    }
    return { cpuMicros: ticks * microsPerTick, written }
  },
  memory: () => processesOf(leader).reduce((sum, { pid }) => sum + (ownMemory(pid) ?? 0), 0),
  sampleMs: 100,
})

function processesOf(leader: number): readonly Process[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.map((pid) => ({ pid, stat: statFields(pid) })).filter(({ stat }) => Number(stat[3]) === leader)
}
