/** What all processes of a session use, as Linux tells it: a rival is a program that may start others. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Used } from '../child/process-meter.ts'

/** Of `/proc/PID/stat`: the kernel shows them in hundredths of a second everywhere. */
const microsPerTick = 10_000
const sampleMs = 100

interface Taken {
  readonly ticks: number
  readonly written: number
  readonly memory: number
}

/** Throws where there is no `/proc`. `session` is the process that leads it. */
export function startSessionMeter(session: number): () => Used {
  const before = takenBy(session)
  const began = performance.now()
  let peakMemory = before.memory
  const sample = setInterval(() => {
    peakMemory = Math.max(peakMemory, takenBy(session).memory)
  }, sampleMs)
  return () => {
    clearInterval(sample)
    const wallMs = performance.now() - began
    const { ticks, written, memory } = takenBy(session)
    return {
      wallMs,
      cpuMicros: (ticks - before.ticks) * microsPerTick,
      written: written - before.written,
      peakMemory: Math.max(peakMemory, memory),
    }
  }
}

function takenBy(session: number): Taken {
  let [ticks, written, memory] = [0, 0, 0]
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const stat = fieldsAfterName(read(pid, 'stat'))
    if (Number(stat[3]) !== session) continue
    // Its own, and those of children that have ended.
    ticks += stat.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    written += Number(/^write_bytes: (\d+)$/m.exec(read(pid, 'io'))?.[1] ?? 0)
    memory += Number(/^RssAnon:\s+(\d+) kB$/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024
  }
  return { ticks, written, memory }
}

/** Those behind the name of the program, which may hold spaces and brackets: the first is its state. */
const fieldsAfterName = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

/** Empty for one that has just gone. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
