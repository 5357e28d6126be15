/** `varve demo`: a store with a small story, to try on it what Varve can do. */
import { Command } from 'commander'
import { readdir } from '../../files/patient-files.ts'
import { makeDemo } from '../demo/make-demo.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { printable } from '../support/printable.ts'
import { parsePath } from '../support/parse-values.ts'
import { programName } from '../support/program-name.ts'
import { shellWord } from '../support/shell-word.ts'
import { jsonOption } from '../support/store-command.ts'

interface DemoOptions {
  readonly json?: boolean
}

export function demoCommand(context: CliContext): Command {
  return new Command('demo')
    .description('make a store with photos, notes and a deletion to undo')
    .argument('[dir]', 'directory of the new store', parsePath, './varve-demo')
    .addOption(jsonOption())
    .action((dir: string, options: DemoOptions) => runDemo(context, dir, options))
}

async function runDemo({ output, signal }: CliContext, dir: string, { json = false }: DemoOptions): Promise<void> {
  // A store that is there stays as it is.
  if (!(await isEmpty(dir)))
    throw new UsageError(`${printable(dir)} is not empty.`, { hint: 'Name a directory that is not there.' })
  const story = await makeDemo(dir, signal)
  if (json) return output.json({ kind: 'demo', dir, ...story })
  const { objects, deleted, before, requestId } = story
  const varve = programName()
  const at = `--dir ${shellWord(dir)}`
  await output.line(
    [
      `Made a store in ${printable(dir)} with ${objects} objects. Then an agent deleted ${deleted} photos. Try:`,
      '',
      '  # who deleted them',
      `  ${varve} log --type DeleteMarkerAdded ${at}`,
      '  # the folder as it was',
      `  ${varve} ls s3://photos/2026/holiday/ --at ${before} ${at}`,
      '  # the story of one photo',
      `  ${varve} history s3://photos/2026/holiday/harbour/01.svg ${at}`,
      '  # take the deletion back',
      `  ${varve} undo --request ${requestId} ${at}`,
      '  # or serve it to any S3 client',
      `  ${varve} serve ${shellWord(dir)}`,
      '',
    ].join('\n'),
  )
}

async function isEmpty(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
}
