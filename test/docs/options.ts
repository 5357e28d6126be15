/** Whether `varve` has what a command of a page names. */
import type { program } from '#varve/cli/program'

type Command = ReturnType<typeof program>

/** What a line of a page names, and the command does not have. */
export function optionsMissing(varve: Command, text: string): readonly string[] {
  const found: string[] = []
  for (const [, line = ''] of text
    .replaceAll('\\\n', ' ')
    .matchAll(/(?:^|[|;&(] *|npx )(?:[A-Z_]+=\S+ +)*varve ([^|>&#\n]*(?:\|[A-Z@-][^|>&#\n]*)*)/gm)) {
    const words = line.replaceAll(/'[^']*'|"[^"]*"/g, 'X').split(/[\s[\]()|]+/)
    const command = commandOf(varve, words)
    if (command === varve) {
      if (!/^(<command|--)/.test(words[0] ?? '')) found.push(`varve ${line.trim()}: no such command`)
      continue
    }
    // The bench has a package of its own, which is not loaded.
    if (command.name() === 'bench') continue
    const known = command.options.flatMap(({ long, short }) => [long, short])
    const given = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''))
    found.push(...given.filter((word) => !known.includes(word)).map((word) => `varve ${line.trim()}: ${word}`))
  }
  return found
}

/** The command that the first words name. */
function commandOf(varve: Command, words: readonly string[]): Command {
  let at = varve
  for (const word of words) {
    const next = at.commands.find((one) => one.name() === word)
    if (next === undefined) break
    at = next
  }
  const usual = at.commands.find((one) => one.name() === 'show' && at.name() === 'backups')
  return usual ?? at
}
