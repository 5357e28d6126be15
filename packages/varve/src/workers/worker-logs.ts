/** The logs of a worker: it makes the lines, and the owner writes them. */
import type { RequestLogger } from '@varve/http'
import { LineBatch } from '../logs/line-batch.ts'
import type { FromWorker, LogLevels, LogName } from './control-messages.ts'

export interface WorkerLogs {
  readonly loggers: { readonly requestLog?: RequestLogger; readonly auditLog?: RequestLogger }
  /** Resolves when the owner has all lines. */
  end(): Promise<void>
}

/** Lines of the audit log are few, and must not be lost with the worker. */
const everyMs: Readonly<Record<LogName, number>> = { request: 100, audit: 1 }

export async function workerLogs(
  levels: LogLevels,
  report: (message: FromWorker) => Promise<void>,
): Promise<WorkerLogs> {
  const names = (['request', 'audit'] as const).filter((name) => levels[name] !== undefined)
  if (names.length === 0) return { loggers: {}, end: async () => undefined }
  const { jsonLogger } = await import('../logs/json-logger.ts')
  const batches = names.map((log) => new LineBatch((lines) => report({ kind: 'lines', log, lines }), everyMs[log]))
  const loggers = names.map((name, at) => [`${name}Log`, jsonLogger((batches[at] as LineBatch).write, levels[name])])
  return {
    loggers: Object.fromEntries(loggers) as WorkerLogs['loggers'],
    async end() {
      await Promise.all(batches.map((batch) => batch.end()))
    },
  }
}
