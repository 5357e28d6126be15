/** A child process that does some work as often as each message says, and answers with its processor time in milliseconds. */
import { inFlight } from './measure.ts'

export function answerCounts(width: number, work: () => Promise<unknown>): void {
  const run = async (count: number): Promise<void> => {
    const before = process.cpuUsage()
    await inFlight(width, count, work)
    const { user, system } = process.cpuUsage(before)
    process.send?.((user + system) / 1000)
  }
  process.on('message', (count: number) => void run(count))
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}
