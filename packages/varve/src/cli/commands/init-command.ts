/** `varve init`: makes a store in a directory. */
import { hasStore, type LayoutName, layouts } from '@varve/adapters'
import { StorageError } from '@varve/core'
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
  if (await hasStore(dir))
    throw new StorageError('InvalidArgument', `${dir} has a store already.`, {
      details: { ArgumentName: 'dir' },
      hint: 'Use it as it is, or name another directory.',
    })
  const store = await openStore(dir, { ...(layout && { layout }), controlSocket: false, signal })
  const made = store.layout
  await store.close()
  await (json
    ? output.json({ kind: 'store', dir, layout: made })
    : output.line(`${printable(dir)}  made, with the layout ${made}`))
}
