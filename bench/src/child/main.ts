/**
 * Runs one contender in its own process. The process ends when its parent has ended. It ignores Ctrl-C, which the
 * parent handles.
 */
import type { Order, Reply } from './job.ts'
import { benchWorker } from './worker.ts'

const worker = benchWorker()
let last: Promise<void> = Promise.resolve()

process.on('message', (order: Order) => {
  last = last.then(async () => {
    const reply = await worker.take(order).then(
      (ok): Reply => ({ ok }),
      (error: unknown): Reply => ({ error: described(error) }),
    )
    process.send?.(reply)
  })
})
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

const described = (error: unknown): { name: string; message: string } =>
  error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: String(error) }
