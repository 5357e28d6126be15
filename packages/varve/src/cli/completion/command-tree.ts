/** The commands as completion needs them, from the program's own table. */
import type { Command, Option } from 'commander'

export interface CommandEntry {
  /** With the names of the commands that it is part of: `varve keys list`. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly options: readonly OptionEntry[]
  readonly commands: readonly CommandEntry[]
}

export interface OptionEntry {
  /** As they are written: `-d`, `--dir`. */
  readonly names: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  /** The values that it takes. Empty: any. */
  readonly choices: readonly string[]
}

export function commandTree(command: Command, before = ''): CommandEntry {
  const path = `${before}${command.name()}`
  return {
    path,
    name: command.name(),
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionEntry), help],
    commands: command.commands.map((each) => commandTree(each, `${path} `)),
  }
}

/** Commander adds it to every command. */
const help: OptionEntry = { names: ['-h', '--help'], description: 'show help', takesValue: false, choices: [] }

const optionEntry = ({ short, long, description, required, optional, argChoices = [] }: Option): OptionEntry => ({
  names: [short, long].filter((name) => name !== undefined),
  description,
  takesValue: required || optional,
  choices: argChoices,
})

export const withAll = (entry: CommandEntry): readonly CommandEntry[] => [entry, ...entry.commands.flatMap(withAll)]
