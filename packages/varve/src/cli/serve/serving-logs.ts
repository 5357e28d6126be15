/** The logs of a server, as its options ask for them. */
import type { RequestLogger } from '../../http.ts'
import type { LogLevel } from '../../logs/json-logger.ts'
import type { LogLevels, LogName } from '../../workers/control-messages.ts'

export interface LogSettings {
  /** The path of a file, or `-` for standard output. */
  readonly requestLog?: string
  readonly requestLogLevel: LogLevel
}

export interface ServingLogs {
  readonly loggers: { readonly requestLog?: RequestLogger }
  /** The logs that workers write, too. */
  readonly levels: LogLevels
  /** Appends whole lines of a worker. */
  write(name: LogName, lines: string): void
  close(): Promise<void>
}

/** @throws StorageError `InvalidArgument` for a file that cannot be written */
export async function servingLogs(
  { requestLog, requestLogLevel }: LogSettings,
  onProblem: (text: string) => void,
): Promise<ServingLogs> {
  if (requestLog === undefined) return { loggers: {}, levels: {}, write: () => undefined, close: async () => undefined }
  // Imported here, so that servers without logs do not load what writes them.
  const { LineWriter } = await import('../../logs/line-writer.ts')
  const { jsonLogger } = await import('../../logs/json-logger.ts')
  const writer = await LineWriter.open({ target: requestLog, onProblem })
  const reopen = (): void => writer.reopen()
  // Windows has no such signal.
  if (process.platform !== 'win32') process.on('SIGUSR2', reopen)
  return {
    loggers: { requestLog: jsonLogger(writer, requestLogLevel) },
    levels: { request: requestLogLevel },
    write: (_, lines) => writer.write(lines),
    async close() {
      process.off('SIGUSR2', reopen)
      await writer.close()
    },
  }
}
