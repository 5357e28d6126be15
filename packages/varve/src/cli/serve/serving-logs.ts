/** The logs of a server, as its options ask for them. */
import type { RequestLogger } from '../../http.ts'
import type { LogLevel } from '../../logs/json-line.ts'
import type { LineWriter, LineWriterOptions } from '../../logs/line-writer.ts'
import type { LogLevels, LogName } from '../../workers/control-messages.ts'

export interface LogSettings {
  /** The path of a file, or `-` for standard output. */
  readonly requestLog?: string
  readonly requestLogLevel: LogLevel
  /** As `requestLog`. */
  readonly auditLog?: string
  /** Milliseconds. */
  readonly accessLogEvery: number
}

interface Loggers {
  readonly requestLog?: RequestLogger
  readonly auditLog?: RequestLogger
}

export interface ServingLogs {
  readonly loggers: Loggers
  /** The logs that workers write, too. */
  readonly levels: LogLevels
  /** Appends whole lines of a worker. */
  write(name: LogName, lines: string): void
  close(): Promise<void>
}

interface Log extends Omit<LineWriterOptions, 'onProblem'> {
  readonly level: LogLevel
  /** A line waits for others so long, in milliseconds. @default it is written at once */
  readonly everyMs?: number
}

/** A write of its own for each line would cost more than all that makes the line. */
const requestEveryMs = 50

/** An action does not wait for its line, so the line is written at once, and synced soon. */
const auditing = { level: 'info', syncMs: 1000, waitingMax: 16 * 2 ** 20 } as const

/** @throws StorageError `InvalidArgument` for a file that cannot be written */
export async function servingLogs(
  { requestLog, requestLogLevel, auditLog }: Omit<LogSettings, 'accessLogEvery'>,
  onProblem: (text: string) => void,
): Promise<ServingLogs> {
  const logs: Partial<Record<LogName, Log>> = {
    ...(requestLog !== undefined && {
      request: { target: requestLog, level: requestLogLevel, everyMs: requestEveryMs },
    }),
    ...(auditLog !== undefined && { audit: { target: auditLog, ...auditing } }),
  }
  const names = Object.keys(logs) as LogName[]
  if (names.length === 0) return { loggers: {}, levels: {}, write: () => undefined, close: async () => undefined }
  // Imported here, so that servers without logs do not load what writes them.
  const { LineWriter } = await import('../../logs/line-writer.ts')
  const { jsonLogger } = await import('../../logs/json-logger.ts')
  const { jsonLine } = await import('../../logs/json-line.ts')
  const { LineBatch } = await import('../../logs/line-batch.ts')
  const writers = new Map<LogName, LineWriter>()
  const batches: { end(): Promise<void> }[] = []
  const loggers: Record<string, RequestLogger> = {}
  for (const name of names) {
    const { level, everyMs, ...how } = logs[name] as Log
    const writer = await LineWriter.open({ ...how, onProblem })
    writers.set(name, writer)
    const batch = everyMs === undefined ? undefined : new LineBatch(async (lines) => writer.write(lines), everyMs)
    if (batch !== undefined) batches.push(batch)
    loggers[`${name}Log`] = jsonLogger(batch?.write ?? ((line) => writer.write(jsonLine(line))), level)
  }
  const reopen = (): void => writers.forEach((writer) => writer.reopen())
  // Windows has no such signal.
  if (process.platform !== 'win32') process.on('SIGUSR2', reopen)
  return {
    loggers,
    levels: Object.fromEntries(names.map((name) => [name, logs[name]?.level])) as LogLevels,
    write: (name, lines) => writers.get(name)?.write(lines),
    async close() {
      process.off('SIGUSR2', reopen)
      await Promise.all(batches.map((batch) => batch.end()))
      await Promise.all([...writers.values()].map((writer) => writer.close()))
    },
  }
}
