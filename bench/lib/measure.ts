/** Time and memory of one step, printed as it ends. */
export async function timed<T>(label: string, count: number, work: () => Promise<T>): Promise<T> {
  let peak = process.memoryUsage.rss()
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 50)
  const before = performance.now()
  try {
    return await work()
  } finally {
    clearInterval(watch)
    const seconds = (performance.now() - before) / 1000
    const rate = count > 1 ? `, ${Math.round(count / seconds)}/s` : ''
    peak = Math.max(peak, process.memoryUsage.rss())
    console.log(`${label}: ${seconds.toFixed(3)} s${rate}, peak RSS ${Math.round(peak / 2 ** 20)} MiB`)
  }
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
