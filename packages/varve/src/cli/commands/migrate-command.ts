/** `varve migrate`: moves a store to another layout, in its own directory. */
import { type LayoutName, layouts } from '@varve/adapters'
import { type Command, Option } from 'commander'
import type { MigrationStage } from '../../maintenance/directory-arguments.ts'
import { migrateStore } from '../../maintenance/migrate-store.ts'
import type { CliContext } from '../support/context.ts'
import { explained, type StoreCommandOptions, storeCommand } from '../support/store-command.ts'

interface MigrateOptions extends StoreCommandOptions {
  readonly to: LayoutName
}

const doing: Readonly<Record<MigrationStage, string>> = {
  events: 'Copying the log',
  views: 'Making the views',
  bytes: 'Copying bytes',
  check: 'Reading it back',
}

export function migrateCommand(context: CliContext): Command {
  return storeCommand('migrate', 'move the store to another layout')
    .addOption(
      new Option('--to <layout>', 'what it is to be made of')
        .choices(layouts.map(({ name }) => name))
        .makeOptionMandatory(),
    )
    .action((options: MigrateOptions) => runMigrate(context, options))
}

async function runMigrate(context: CliContext, { dir, to, json = false }: MigrateOptions): Promise<void> {
  const { output, progress, signal } = context
  const report = await migrateStore(dir, to, {
    signal,
    onProgress: ({ stage, ...how }) => progress.show(doing[stage], how),
  })
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  const { from, events, blobs, bytes } = report
  const text =
    from === to
      ? `The store has the layout ${to} already.`
      : `Moved ${events} events from ${from} to ${to}; copied ${blobs} blobs, ${bytes} bytes.`
  await (json ? output.json({ kind: 'migrated', ...report }) : output.line(text))
}
