/** `varve init`: makes a store in a directory. */
import { type LayoutName, layouts } from '@varve/adapters'
import { isStorageError, StorageError } from '@varve/core'
import { type Command, Option } from 'commander'
import { openStore } from '../../store/open-store.ts'
import type { CliContext } from '../support/context.ts'
import { printable } from '../support/printable.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'

interface InitOptions extends StoreCommandOptions {
  readonly layout?: LayoutName
}

export function initCommand(context: CliContext): Command {
  return storeCommand('init', 'make a store in a directory that is empty or does not exist')
    .addOption(new Option('--layout <name>', 'the layout of the store').choices(layouts.map(({ name }) => name)))
    .action((options: InitOptions) => runInit(context, options))
}

async function runInit({ output, signal }: CliContext, { dir, layout, json = false }: InitOptions): Promise<void> {
  await assertNone(dir, signal)
  const store = await openStore(dir, { ...(layout && { layout }), controlSocket: false, signal })
  const made = store.layout
  await store.close()
  await (json
    ? output.json({ kind: 'store', dir, layout: made })
    : output.line(`${printable(dir)}  made, with the layout ${made}`))
}

/** @throws StorageError `InvalidArgument` if there is a store; `StoreLocked` if one is open */
async function assertNone(dir: string, signal: AbortSignal): Promise<void> {
  try {
    await (await openStore(dir, { create: false, upgrade: false, controlSocket: false, signal })).close()
  } catch (error) {
    if (isStorageError(error, 'StoreNotFound') && error.details['kind'] === 'missing') return
    throw error
  }
  throw new StorageError('InvalidArgument', `${dir} has a store already.`, { details: { ArgumentName: 'dir' } })
}
