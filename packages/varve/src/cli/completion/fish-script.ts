/** The completion script for fish. */
import { type CommandEntry, type OptionEntry, withAll } from './command-tree.ts'

export function fishScript(root: CommandEntry): string {
  const lines = withAll(root).flatMap((entry) => linesOf(root.name, entry))
  return `# Completion of ${root.name} for fish. Write it to ~/.config/fish/completions/${root.name}.fish
${lines.join('\n')}
`
}

function linesOf(program: string, { path, options, commands }: CommandEntry): readonly string[] {
  const [, ...seen] = path.split(' ')
  const isHere = seen.map((name) => `__fish_seen_subcommand_from ${name}`)
  const names = commands.map(({ name }) => name)
  const isOpen =
    seen.length === 0 ? ['__fish_use_subcommand'] : [...isHere, `not __fish_seen_subcommand_from ${names.join(' ')}`]
  const line = (conditions: readonly string[], rest: string): string =>
    `complete -c ${program} -n ${quoted(conditions.join('; and '))} ${rest}`
  return [
    ...commands.map(({ name, description }) => line(isOpen, `-f -a ${name} -d ${quoted(description)}`)),
    ...options.map((option) => line(seen.length === 0 ? isOpen : isHere, optionText(option))),
  ]
}

function optionText({ names, description, takesValue, choices }: OptionEntry): string {
  const named = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const values = choices.length > 0 ? [`-x -a ${quoted(choices.join(' '))}`] : takesValue ? ['-r'] : []
  return [...named, ...values, `-d ${quoted(description)}`].join(' ')
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
