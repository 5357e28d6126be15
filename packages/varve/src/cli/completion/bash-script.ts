/** The completion script for bash, also for version 3.2. It needs no other package. */
import { type CommandEntry, withAll } from './command-tree.ts'

export function bashScript(root: CommandEntry): string {
  const all = withAll(root)
  return `# Completion of ${root.name} for bash. Load it with: eval "$(${root.name} completion bash)"
_${root.name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="" at="${root.name}" dir="" words="" i
  if ((COMP_CWORD > 0)); then prev="\${COMP_WORDS[COMP_CWORD - 1]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${all
  .slice(1)
  .map(({ path }) => `      "${path}") at="${path}" ;;`)
  .join('\n')}
    esac
    case "\${COMP_WORDS[i]}" in
      -d | --dir) dir="\${COMP_WORDS[i + 1]}" ;;
    esac
  done
  COMPREPLY=()
  # A colon divides words: s3://photos is "s3", ":" and "//photos".
  if [[ "$prev" == ":" && "\${COMP_WORDS[COMP_CWORD - 2]}" == "s3" && "$cur" != //*/* ]]; then
    words="$(${root.name} ls \${dir:+--dir "$dir"} 2>/dev/null | sed 's|^[^ ]*  *|//|; s|$|/|')"
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    compopt -o nospace 2>/dev/null
    return
  fi
  case "$at $prev" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${all.map(wordsCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _${root.name} ${root.name}
`
}

/** Values that are not known are completed as files. */
function valueCases({ path, options }: CommandEntry): readonly string[] {
  return options.flatMap(({ names, takesValue, choices }) => {
    if (!takesValue) return []
    const pattern = names.map((name) => `"${path} ${name}"`).join(' | ')
    return choices.length === 0
      ? [`    ${pattern}) return ;;`]
      : [`    ${pattern}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")); return ;;`]
  })
}

/** Options only where one is begun, so that files are completed elsewhere. */
function wordsCase({ path, options, commands }: CommandEntry): string {
  const named = options.flatMap(({ names }) => names.filter((name) => name.startsWith('--')))
  const begun = `if [[ "$cur" == -* ]]; then words="${named.join(' ')}"`
  const other = commands.length === 0 ? '' : `; else words="${commands.map(({ name }) => name).join(' ')}"`
  return `    "${path}") ${begun}${other}; fi ;;`
}
