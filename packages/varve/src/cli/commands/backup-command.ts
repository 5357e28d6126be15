/** `varve backup`: copies a store to another directory, also while it is open. */
import { type Command, Option } from 'commander'
import { type LayoutName, layouts } from '@varve/adapters'
import { backUpStore } from '../../backups/replicas.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { explained } from '../support/reach-store.ts'
import { printable } from '../support/printable.ts'
import { stageLabels } from '../support/progress.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'

interface BackupOptions extends StoreCommandOptions {
  readonly link: boolean
  readonly layout?: LayoutName
  readonly keyring?: string
}

export function backupCommand(context: CliContext): Command {
  return storeCommand('backup', 'copy the store, which may be open, or bring what is new to its copy')
    .argument('<to>', 'directory of the copy')
    .addOption(new Option('--no-link', 'write the bytes of all blobs, instead of giving their files a second name'))
    .addOption(new Option('--layout <name>', 'the layout of a new copy').choices(layouts.map(({ name }) => name)))
    .addOption(keyringOption())
    .action((to: string, options: BackupOptions) => run(context, to, options))
}

async function run(
  { output, progress, signal, finish }: CliContext,
  to: string,
  { dir, json = false, keyring, ...options }: BackupOptions,
): Promise<void> {
  const report = await backUpStore(dir, to, {
    ...options,
    ...(await keyringOf(keyring)),
    signal,
    onProgress: ({ stage, ...how }) => progress.show(stageLabels[stage], how),
  })
    .catch((error: unknown) => {
      throw explained(error, dir)
    })
    .finally(() => progress.clear())
  const { head, events, blobs, bytes, absent } = report
  await (json
    ? output.json({ kind: 'copied', ...report })
    : output.line(
        `Copied ${events} events, ${blobs} blobs and ${bytes} bytes to ${printable(report.to)}. The copy ends with event ${head}.`,
      ))
  if (absent === 0) return
  if (!json)
    await output.line(
      `${absent} blobs are missing: the store erased them during the copy, or has lost them. Copy it again, or verify it.`,
    )
  finish(exitCodes.diverged)
}
