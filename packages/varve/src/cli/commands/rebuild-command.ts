/** `varve rebuild`: drops every view and computes it again from the log. */
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { type StoreCommandOptions, storeCommand, withStore } from '../support/store-command.ts'

export function rebuildCommand(context: CliContext): Command {
  return storeCommand('rebuild', 'make the views again from the log').action((options: StoreCommandOptions) =>
    runRebuild(context, options),
  )
}

async function runRebuild(context: CliContext, { dir, json = false }: StoreCommandOptions): Promise<void> {
  const { output, progress, signal } = context
  await withStore(context, dir, async (store) => {
    await store
      .rebuild({ signal, onProgress: (done) => progress.show('Making the views again', done) })
      .finally(() => progress.clear())
    const events = store.seq
    await (json ? output.json({ kind: 'rebuilt', events }) : output.line(`Made the views of ${events} events again.`))
  })
}
