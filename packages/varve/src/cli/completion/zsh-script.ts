/** The completion script for zsh. */
import { type CommandEntry, type OptionEntry, withAll } from './command-tree.ts'

export function zshScript(root: CommandEntry): string {
  const all = withAll(root)
  return `#compdef ${root.name}
# Completion of ${root.name} for zsh. Write it into a directory of fpath as _${root.name}, or load it with:
#   eval "$(${root.name} completion zsh)"
_${root.name}() {
  local at=${root.name} word
  local -a entries flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${all
  .slice(1)
  .map(({ path }) => `      ('${path}') at='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${all.map(entriesCase).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option flags
  elif (( \${#entries} > 0 )); then
    _describe command entries
  else
    _files
  fi
}
if [ "\${funcstack[1]}" = "_${root.name}" ]; then
  _${root.name} "$@"
else
  compdef _${root.name} ${root.name}
fi
`
}

function valueCases({ path, options }: CommandEntry): readonly string[] {
  return options.flatMap(({ names, takesValue, choices }) => {
    if (!takesValue) return []
    const pattern = names.map((name) => `'${path} ${name}'`).join('|')
    const values = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`
    return [`    (${pattern}) ${values}; return ;;`]
  })
}

const entriesCase = ({ path, options, commands }: CommandEntry): string =>
  `    ('${path}')
      entries=(${commands.map(({ name, description }) => described(name, description)).join(' ')})
      flags=(${options.flatMap(flagsOf).join(' ')}) ;;`

const flagsOf = ({ names, description }: OptionEntry): readonly string[] =>
  names.map((name) => described(name, description))

const described = (name: string, description: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`)

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
