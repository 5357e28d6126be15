/** What is used between two moments. A figure that the system does not report is absent and not estimated. */

export interface Used {
  readonly wallMs: number
  readonly cpuMicros: number
  /** Bytes that were written to the medium for the processes: Linux only. */
  readonly written?: number
  /** The most memory seen. On Linux without pages of mapped files, which can be dropped at any time. */
  readonly peakMemory: number
}

/** Counters that only rise. */
export interface Counts {
  readonly cpuMicros: number
  readonly written?: number | undefined
}

/**
 * The processes that are measured. Reading a figure costs time, and that time counts. Memory is read repeatedly, the
 * counts only twice.
 */
export interface Source {
  counts(): Counts
  /** The memory that is used now. */
  memory(): number
  readonly sampleMs: number
}

export interface Meter {
  stop(): Used
  /** For a meter that will not be stopped. Without `stop` or `abandon` it runs forever and keeps the process alive. */
  abandon(): void
}

/** @throws the error of the first reading of the source */
export function startMeter(source: Source): Meter {
  const before = source.counts()
  let peakMemory = source.memory()
  const sample = () => {
    peakMemory = Math.max(peakMemory, source.memory())
  }
  const timer = setInterval(sample, source.sampleMs)
  const began = performance.now()
  return {
    stop() {
      clearInterval(timer)
      const wallMs = performance.now() - began
      const after = source.counts()
      sample()
      const isMeasured = before.written !== undefined && after.written !== undefined
      const io = isMeasured ? { written: after.written - before.written } : {}
      return { wallMs, cpuMicros: after.cpuMicros - before.cpuMicros, peakMemory, ...io }
    },
    abandon: () => clearInterval(timer),
  }
}
