/** `varve completion`: a script that completes commands and options in a shell. */
import { Argument, Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import type { CommandEntry } from './command-tree.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function completionCommand({ output }: CliContext): Command {
  const command = new Command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
  return command.action(async (shell: Shell) => {
    const { commandTree } = await import('./command-tree.ts')
    const script = await scripts[shell]()
    await output.write(script(commandTree(command.parent ?? command)))
  })
}

const scripts: Readonly<Record<Shell, () => Promise<(root: CommandEntry) => string>>> = {
  bash: async () => (await import('./bash-script.ts')).bashScript,
  zsh: async () => (await import('./zsh-script.ts')).zshScript,
  fish: async () => (await import('./fish-script.ts')).fishScript,
}
