/** Assembles the `varve` command. */
import { styleText } from 'node:util'
import { Command } from 'commander'
import { acceptLossCommand } from './commands/accept-loss-command.ts'
import { archiveCommand } from './commands/archive-command.ts'
import { absentBenchCommand } from './commands/bench-command.ts'
import { mbCommand, rbCommand } from './commands/bucket-commands.ts'
import { completionCommand } from './completion/completion-command.ts'
import { catCommand } from './commands/cat-command.ts'
import { clockCommand } from './commands/clock-command.ts'
import { cpCommand } from './commands/cp-command.ts'
import { demoCommand } from './commands/demo-command.ts'
import { diffCommand } from './commands/diff-command.ts'
import { eraseCommand } from './commands/erase-command.ts'
import { exportCommand } from './commands/export-command.ts'
import { getCommand } from './commands/get-command.ts'
import { putCommand } from './commands/put-command.ts'
import { rmCommand } from './commands/rm-command.ts'
import { statCommand } from './commands/stat-command.ts'
import type { CliContext } from './support/context.ts'
import { examples, examplesText } from './support/examples.ts'
import { exitCodeTable } from './support/exit-codes.ts'
import { withProgramName } from './support/program-name.ts'
import { historyCommand } from './commands/history-command.ts'
import { identitiesCommand } from './commands/identities-command.ts'
import { importCommand } from './commands/import-command.ts'
import { journalCommand } from './commands/journal-command.ts'
import { keysCommand } from './commands/keys-command.ts'
import { logCommand } from './commands/log-command.ts'
import { initCommand } from './commands/init-command.ts'
import { lsCommand } from './commands/ls-command.ts'
import { migrateCommand } from './commands/migrate-command.ts'
import { quotaCommand } from './commands/quota-command.ts'
import { rebuildCommand } from './commands/rebuild-command.ts'
import { backupCommand } from './commands/backup-command.ts'
import { backupsCommand } from './commands/backups-command.ts'
import { followCommand } from './serve/follow-command.ts'
import { promoteCommand } from './commands/promote-command.ts'
import { restoreStoreCommand } from './commands/restore-store-command.ts'
import { restoreCommand } from './commands/restore-command.ts'
import { undoCommand } from './commands/undo-command.ts'
import { retentionCommand } from './commands/retention-command.ts'
import { dropCommand, forkCommand } from './commands/fork-commands.ts'
import { checkProofCommand } from './commands/check-proof-command.ts'
import { checkpointCommand, logKeyCommand, proveCommand } from './commands/proof-commands.ts'
import { mergeCommand } from './commands/merge-command.ts'
import { snapshotCommand } from './commands/snapshot-command.ts'
import { taskCommand } from './commands/task-command.ts'
import { usageCommand } from './commands/usage-command.ts'
import { configCommand } from './serve/config-command.ts'
import { mcpCommand } from './mcp/mcp-command.ts'
import { serveCommand } from './serve/serve-command.ts'
import { verifyCommand } from './commands/verify-command.ts'

/** In the order of the help. */
const commands = [
  serveCommand,
  configCommand,
  mcpCommand,
  logCommand,
  historyCommand,
  identitiesCommand,
  diffCommand,
  restoreCommand,
  undoCommand,
  eraseCommand,
  lsCommand,
  catCommand,
  statCommand,
  initCommand,
  mbCommand,
  rbCommand,
  forkCommand,
  mergeCommand,
  dropCommand,
  putCommand,
  getCommand,
  cpCommand,
  rmCommand,
  exportCommand,
  importCommand,
  archiveCommand,
  backupCommand,
  backupsCommand,
  restoreStoreCommand,
  followCommand,
  promoteCommand,
  verifyCommand,
  rebuildCommand,
  migrateCommand,
  keysCommand,
  clockCommand,
  acceptLossCommand,
  journalCommand,
  retentionCommand,
  snapshotCommand,
  checkpointCommand,
  proveCommand,
  checkProofCommand,
  logKeyCommand,
  quotaCommand,
  taskCommand,
  usageCommand,
  demoCommand,
  completionCommand,
]

/** `error` is called with the error text for a wrong command line. `bench` is the command of its package, if loaded. */
export function program(
  context: CliContext,
  version: string,
  error: (text: string) => void,
  bench: Command = absentBenchCommand(),
): Command {
  const varve = new Command('varve')
    .description('An event-sourced, versioned object store that speaks S3.')
    .version(version)
    // Commander itself finds out whether its output shows colours.
    .configureHelp({ styleTitle: (title) => styleText('bold', title) })
    .addHelpText('after', `\n${exitCodeHelp()}`)
  for (const make of commands) varve.addCommand(make(context))
  varve.addCommand(bench)
  for (const [path, command] of withAllBelow(varve)) {
    const own = examples[path]
    if (own !== undefined) command.addHelpText('after', withProgramName(examplesText(own)))
    command.exitOverride().configureOutput({
      // A reader, such as a pager, may close the output before the end of the help.
      writeOut: (text) => void context.output.write(text).catch(() => undefined),
      writeErr: error,
      outputError: (text, write) => write(text),
    })
  }
  return varve
}

/** Each with its name and those of the commands that it is part of. */
export const withAllBelow = (command: Command, path = ''): readonly (readonly [path: string, command: Command])[] => [
  [path, command],
  ...command.commands.flatMap((each) => withAllBelow(each, path === '' ? each.name() : `${path} ${each.name()}`)),
]

function exitCodeHelp(): string {
  const lines = exitCodeTable.map(([code, meaning]) => `  ${code.padEnd(8)}${meaning}`)
  return `Exit status:\n${lines.join('\n')}`
}
