/** The logs of a worker: it makes the lines, and the owner writes them. */
import type { RequestLogger } from '@varve/http'
import { LineBatch } from '../logs/line-batch.ts'
import type { FromWorker, LogLevels } from './control-messages.ts'

export interface WorkerLogs {
  readonly loggers: { readonly requestLog?: RequestLogger }
  /** Resolves when the owner has all lines. */
  end(): Promise<void>
}

export async function workerLogs(
  { request }: LogLevels,
  report: (message: FromWorker) => Promise<void>,
): Promise<WorkerLogs> {
  if (request === undefined) return { loggers: {}, end: async () => undefined }
  const { jsonLogger } = await import('../logs/json-logger.ts')
  const batch = new LineBatch((lines) => report({ kind: 'lines', log: 'request', lines }))
  return { loggers: { requestLog: jsonLogger(batch, request) }, end: () => batch.end() }
}
