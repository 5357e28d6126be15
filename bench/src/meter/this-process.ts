import type { Source } from './meter.ts'
import { bytesWritten, ownMemory } from './proc.ts'

/** The figures of the process that sends the work. */
export const thisProcess: Source = {
  counts() {
    const { user, system } = process.cpuUsage()
    return { cpuMicros: user + system, written: bytesWritten('self') }
  },
  memory: () => ownMemory('self') ?? process.memoryUsage.rss(),
  sampleMs: 20,
}
