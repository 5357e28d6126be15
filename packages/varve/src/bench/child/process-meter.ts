/** What a process used between two moments. Where the system does not tell, the figure is missing and not invented. */
import { readFileSync } from 'node:fs'

export interface Used {
  readonly wallMs: number
  readonly cpuMicros: number
  /** Bytes it caused to be written to the medium: Linux only. */
  readonly written?: number
  /** The most memory seen; on Linux without pages of mapped files, which can be dropped at any time. */
  readonly peakMemory: number
}

const sampleMs = 20

export function startMeter(): () => Used {
  const [began, cpu, written] = [performance.now(), process.cpuUsage(), bytesWritten()]
  let peakMemory = memoryNow()
  const sample = () => {
    peakMemory = Math.max(peakMemory, memoryNow())
  }
  const timer = setInterval(sample, sampleMs)
  return () => {
    clearInterval(timer)
    const wallMs = performance.now() - began
    const { user, system } = process.cpuUsage(cpu)
    sample()
    const now = bytesWritten()
    const io = written === undefined || now === undefined ? {} : { written: now - written }
    return { wallMs, cpuMicros: user + system, peakMemory, ...io }
  }
}

function bytesWritten(): number | undefined {
  const text = proc('io')
  const found = text === undefined ? null : /^write_bytes: (\d+)$/m.exec(text)
  return found === null ? undefined : Number(found[1])
}

function memoryNow(): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(proc('status') ?? '')
  return found === null ? process.memoryUsage.rss() : Number(found[1]) * 1024
}

function proc(file: 'io' | 'status'): string | undefined {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8')
  } catch {
    return undefined
  }
}
