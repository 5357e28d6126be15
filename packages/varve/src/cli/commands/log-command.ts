/** `varve log`: everything that happened, in order. */
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { describeEvent } from './describe-event.ts'
import { Interrupted } from '../support/exit-codes.ts'
import { parseSeq } from '../support/parse-values.ts'
import { withReadableStore } from '../support/reach-store.ts'
import { reachingCommand, type ReadingOptions } from '../support/endpoint-option.ts'
import { readOnlyOption } from '../support/store-command.ts'

const aliveMs = 60_000

interface LogCommandOptions extends ReadingOptions {
  readonly from?: number
  readonly to?: number
  readonly follow?: boolean
}

export function logCommand(context: CliContext): Command {
  return reachingCommand('log', 'show the log: every event, in order')
    .option('--from <seq>', 'first position (default: the first)', parseSeq)
    .option('--to <seq>', 'last position (default: the last)', parseSeq)
    .option('-f, --follow', 'go on until interrupted; the store is held all the while')
    .addOption(readOnlyOption().conflicts(['follow', 'endpoint']))
    .action((options: LogCommandOptions) => runLog(context, options))
}

async function runLog(context: CliContext, options: LogCommandOptions) {
  const { json = false, from, to, follow = false } = options
  const { output, signal } = context
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  await withReadableStore(context, options, async (store) => {
    // Waiting for a commit keeps no handle open. Without this timer the process would end.
    const alive = setInterval(() => undefined, aliveMs)
    try {
      for await (const event of store.log({ ...range, follow, signal })) {
        await (json ? output.json(event) : output.line(describeEvent(event)))
      }
    } catch (error) {
      // An interruption is the normal end of `--follow`.
      if (!(follow && error instanceof Interrupted)) throw error
    } finally {
      clearInterval(alive)
    }
  })
}
