/** Measures time and memory of one step, and prints them when it ends. */
import { readFileSync } from 'node:fs'

export async function timed<T>(label: string, count: number, work: () => Promise<T>): Promise<T> {
  let peak = residentMemory()
  const watch = setInterval(() => {
    peak = larger(peak, residentMemory())
  }, 50)
  const before = performance.now()
  try {
    return await work()
  } finally {
    clearInterval(watch)
    const seconds = (performance.now() - before) / 1000
    const rate = count > 1 ? `, ${Math.round(count / seconds)}/s` : ''
    peak = larger(peak, residentMemory())
    console.log(
      `${label}: ${seconds.toFixed(3)} s${rate}, peak RSS ${peak.all} MiB, of it ${peak.own} MiB not mapped files`,
    )
  }
}

export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5)

/** Runs `work` for 0 to `count` - 1, at most `width` at a time. */
export async function inFlight(width: number, count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** MiB. LevelDB maps its tables: those pages count as resident but can be dropped at any time. */
interface Memory {
  readonly all: number
  readonly own: number
}

function residentMemory(): Memory {
  const all = Math.round(process.memoryUsage.rss() / 2 ** 20)
  if (process.platform !== 'linux') return { all, own: all }
  const anonymous = /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return { all, own: Math.round(Number(anonymous) / 1024) }
}

const larger = (a: Memory, b: Memory): Memory => ({ all: Math.max(a.all, b.all), own: Math.max(a.own, b.own) })
