/** `varve migrate`: upgrades a store and moves it to another layout, in its own directory. */
import { type LayoutName, layouts } from '@varve/adapters'
import { type Command, Option } from 'commander'
import type { MigrationReport } from '../../maintenance/migrate-store.ts'
import { migrateStore } from '../../maintenance/closed-stores.ts'
import type { CliContext } from '../support/context.ts'
import { stageLabels } from '../support/progress.ts'
import { explained } from '../support/reach-store.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'

interface MigrateOptions extends StoreCommandOptions {
  readonly to?: LayoutName
}

export function migrateCommand(context: CliContext): Command {
  return storeCommand('migrate', 'upgrade the store to the current format, and move it to another layout')
    .addOption(
      new Option('--to <layout>', 'the new layout (default: as it is)').choices(layouts.map(({ name }) => name)),
    )
    .action((options: MigrateOptions) => runMigrate(context, options))
}

async function runMigrate(context: CliContext, { dir, to, json = false }: MigrateOptions): Promise<void> {
  const { output, progress, signal } = context
  const report = await migrateStore(dir, to, {
    signal,
    onProgress: ({ stage, ...how }) => progress.show(stageLabels[stage], how),
  })
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  await (json ? output.json({ kind: 'migrated', ...report }) : output.line(textOf(report)))
}

function textOf({ from, to, events, blobs, bytes, upgradedFrom }: MigrationReport): string {
  const upgraded = upgradedFrom === undefined ? '' : `Upgraded the store from format ${upgradedFrom}. `
  const moved = `Moved ${events} events from ${from} to ${to}; copied ${blobs} blobs, ${bytes} bytes.`
  return `${upgraded}${from === to ? `The store has the layout ${to}${upgraded === '' ? ' already' : ''}.` : moved}`
}
