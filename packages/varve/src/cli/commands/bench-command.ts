/** `varve bench`. It is in its own package, so that installing a store does not install it. */
import { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'

const packageName = '@varve/bench'

interface BenchPackage {
  benchCommand(context: CliContext, version: string): Command
}

/** The command of the bench package, or if it is not installed, one that explains how to install it. */
export async function loadBenchCommand(context: CliContext, version: string): Promise<Command> {
  const bench = await loadBench()
  return bench === undefined ? absentBenchCommand() : bench.benchCommand(context, version)
}

/** Shown in the list of commands. */
export const absentBenchCommand = (): Command =>
  new Command('bench')
    .description('compare storage layouts on this machine')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(`The bench is a package of its own: npm install ${packageName}`)
    })

async function loadBench(): Promise<BenchPackage | undefined> {
  try {
    return (await import(packageName)) as BenchPackage
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Whether the package itself is missing. If a module that it imports is missing, the error names that module. */
const isAbsent = (error: unknown): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${packageName}'`)
