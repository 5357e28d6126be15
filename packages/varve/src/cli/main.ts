/** One run of the command, from its arguments to its exit status. */
import { CommanderError } from 'commander'
import { loadBenchCommand } from './commands/bench-command.ts'
import type { CliContext } from './support/context.ts'
import { exitCodeOf, exitCodes, UsageError } from './support/exit-codes.ts'
import { listenForInterrupts } from './support/interrupts.ts'
import { outputTo } from './support/output.ts'
import { packageVersion } from './support/package-version.ts'
import { printableLines } from './support/printable.ts'
import { program } from './program.ts'
import { progressLine, type ProgressTarget } from './support/progress.ts'
import { errorReport } from './support/report-error.ts'
import { terminalStyle } from './support/terminal-style.ts'

/** Where the command writes: the process, except in tests. */
interface Streams {
  readonly stdin: AsyncIterable<unknown>
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly stderr: ProgressTarget
}

/** Resolves with the exit status; never rejects. `args` are the arguments after the name of the script. */
export async function main(args: readonly string[], streams: Streams = process): Promise<number> {
  const { stdout, stderr } = streams
  forgetEmptyVariables(process.env)
  const interrupts = listenForInterrupts()
  const running = keepRunning()
  const progress = progressLine(stderr)
  let status: number = exitCodes.ok
  const context: CliContext = {
    output: outputTo(stdout, terminalStyle(stdout, process.env)),
    input: () => streams.stdin as AsyncIterable<Uint8Array>,
    progress,
    signal: interrupts.signal,
    onHangup: interrupts.onHangup,
    note(text) {
      progress.clear()
      stderr.write(`${printableLines(text)}\n`)
    },
    finish(code) {
      status = code
    },
  }
  try {
    await run(args, context)
    return status
  } catch (error) {
    progress.clear()
    const report = errorReport(error, { json: args.includes('--json'), style: terminalStyle(stderr, process.env) })
    if (report !== undefined) stderr.write(`${report}\n`)
    return exitCodeOf(error)
  } finally {
    running.end()
    interrupts.stop()
  }
}

const timerMaxMs = 2 ** 31 - 1

/**
 * A command may wait for nothing that keeps Node running: background work of a store, a pause between attempts, a signal. Without this, the
 * process would end in the middle of it, with status 0, and nothing would be closed.
 */
function keepRunning(): { end(): void } {
  const timer = setInterval(() => undefined, timerMaxMs)
  return { end: () => clearInterval(timer) }
}

/** Errors of commander become usage errors. Help and version are not errors. */
async function run(args: readonly string[], context: CliContext): Promise<void> {
  let complaint = ''
  const version = packageVersion()
  // Loading the bench command takes longer than starting any other command.
  const bench = args.includes('bench') ? await loadBenchCommand(context, version) : undefined
  const take = (text: string) => {
    complaint += text
  }
  const command = program(context, version, take, bench)
  try {
    await command.parseAsync(args, { from: 'user' })
    await context.output.flush()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (args.length === 0) context.note(command.helpInformation().trimEnd())
    if (error.exitCode !== 0) throw new UsageError(complaintText(error, complaint))
  }
}

/** Without a command, commander shows all of its help, which is too long for an error. */
const complaintText = ({ code }: CommanderError, complaint: string): string =>
  code === 'commander.help'
    ? 'Which command?'
    : complaint
        .trim()
        .replace(/^error: /, '')
        .replaceAll('\n', ' ')

/** An empty variable counts as unset, since shells and unit files express "none" in that way. */
function forgetEmptyVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (name.startsWith('VARVE_') && env[name] === '') delete env[name]
}
