/** `varve rebuild`: drops every view and computes it again from the log. */
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { withOwnStore } from '../support/reach-store.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'

export function rebuildCommand(context: CliContext): Command {
  return storeCommand('rebuild', 'make the views again from the log').action((options: StoreCommandOptions) =>
    runRebuild(context, options),
  )
}

async function runRebuild(context: CliContext, options: StoreCommandOptions): Promise<void> {
  const { output, progress, signal } = context
  const { json = false } = options
  await withOwnStore(context, options, async (store) => {
    await store
      .rebuild({ signal, onProgress: (done) => progress.show('Making the views again', done) })
      .finally(() => progress.clear())
    const events = store.seq
    await (json ? output.json({ kind: 'rebuilt', events }) : output.line(`Made the views of ${events} events again.`))
  })
}
