/** `varve config`: looks at a configuration file, and shows which value each option of `varve serve` has, and where it comes from. */
import { Command } from 'commander'
import { configOption, configurable } from '../config/config-option.ts'
import { parsePath, parseText } from '../support/parse-values.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { printable } from '../support/printable.ts'
import { jsonOption } from '../support/store-command.ts'
import { serveOptions } from './serve-command.ts'

export const configCommand = (context: CliContext): Command =>
  new Command('config')
    .description('the options of varve serve, from a file, variables and the command line')
    .addCommand(checkCommand(context))
    .addCommand(showCommand(context))

const checkCommand = (context: CliContext): Command =>
  new Command('check')
    .description('look for mistakes in a configuration file, and in the files that it names')
    .argument('[file]', 'the same as --config', parseText)
    .addOption(configOption())
    .addOption(jsonOption())
    .action((file: string | undefined, { config, json }: { readonly config?: string; readonly json?: boolean }) =>
      runCheck(context, file ?? config, json ?? false),
    )

function showCommand(context: CliContext): Command {
  const command = new Command('show')
    .description('the value of each option of varve serve and where it comes from, as TOML; takes the options of serve')
    .argument('[dir]', 'directory of the store; the same as --dir', parsePath)
  for (const option of serveOptions()) command.addOption(option)
  return command.action((directory: string | undefined) => runShow(context, command, directory))
}

async function runCheck({ output, finish }: CliContext, file: string | undefined, json: boolean): Promise<void> {
  if (file === undefined) throw new UsageError('Which file?', { hint: 'Name it, or set `VARVE_CONFIG`.' })
  const [{ readConfig, problemText, mistakes }, { usableSettings }] = await Promise.all([
    import('../config/config-file.ts'),
    import('./usable-settings.ts'),
  ])
  const config = await readConfig(file, configurable(serveOptions()))
  const problems = config.problems.length > 0 ? config.problems : await usableSettings(config.settings)
  for (const problem of problems) {
    if (json) await output.json({ kind: 'problem', file, ...problem })
    else await output.line(printable(problemText(file, problem)))
  }
  const fields = config.settings.length
  if (json) await output.json({ kind: 'checked', file, fields, problems: problems.length })
  else if (problems.length === 0) await output.line(`${printable(file)} can be used: it sets ${fields} options.`)
  else await output.line(`${printable(file)} has ${mistakes(problems.length)}.`)
  if (problems.length > 0) finish(exitCodes.failed)
}

async function runShow({ output }: CliContext, command: Command, directory: string | undefined): Promise<void> {
  const { effectiveSettings, settingLine } = await import('../config/effective-settings.ts')
  const json = command.getOptionValue('json') === true
  if (directory !== undefined) command.setOptionValueWithSource('dir', directory, 'cli')
  for (const setting of await effectiveSettings(command)) {
    if (json) await output.json({ kind: 'setting', ...setting })
    else await output.line(settingLine(setting))
  }
  for (const name of secretVariables) {
    const isSet = process.env[name] !== undefined
    if (json) await output.json({ kind: 'secret', name, isSet })
    else await output.line(`# ${name} is ${isSet ? 'set, and not shown' : 'not set'}`)
  }
}

/** Variables of `varve serve` that have secrets. They are no options, so that no file and no list of processes has them. */
const secretVariables = ['VARVE_ACCESS_KEY_ID', 'VARVE_SECRET_ACCESS_KEY', 'VARVE_MASTER_KEY'] as const
