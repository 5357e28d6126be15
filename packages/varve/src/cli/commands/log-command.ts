/** `varve log`: everything that happened, in order. */
import type { EventType, Moment } from '@varve/core'
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { describeEvent } from './describe-event.ts'
import { Interrupted, UsageError } from '../support/exit-codes.ts'
import { assertKnown } from '../support/known-in-log.ts'
import { notePeriod } from '../support/moment-option.ts'
import { parseMoment, parseSeq, parseTypes } from '../support/parse-values.ts'
import { withReadableStore } from '../support/reach-store.ts'
import { reachingCommand, type ReadingOptions } from '../support/endpoint-option.ts'
import { readOnlyOption } from '../support/store-command.ts'

interface LogCommandOptions extends ReadingOptions {
  readonly from?: number
  readonly to?: number
  readonly since?: Moment
  readonly until?: Moment
  readonly bucket?: string
  readonly prefix?: string
  readonly by?: string
  readonly type?: readonly EventType[]
  readonly request?: string
  readonly follow?: boolean
}

export function logCommand(context: CliContext): Command {
  return reachingCommand('log', 'show the log: every event, in order')
    .option('--from <seq>', 'first position (default: the first)', parseSeq)
    .option('--to <seq>', 'last position (default: the last)', parseSeq)
    .option('--since <moment>', 'only what happened after a position or a time, such as "2h ago"', parseMoment)
    .option('--until <moment>', 'only what happened up to a position or a time', parseMoment)
    .option('--bucket <bucket>', 'only events of this bucket')
    .option('--prefix <prefix>', 'only events of keys that begin with this; needs --bucket')
    .option('--by <actor>', 'only events that the actor with this name or id caused')
    .option('--type <types>', 'only events of this type, such as VersionAdded; can be repeated', parseTypes)
    .option('--request <id>', 'only events of the request with this id')
    .option('-f, --follow', 'go on until interrupted; the store is held all the while')
    .addOption(readOnlyOption().conflicts(['follow', 'endpoint']))
    .action((options: LogCommandOptions) => runLog(context, options))
}

async function runLog(context: CliContext, options: LogCommandOptions) {
  const { json = false, follow = false, from, to, since, until, bucket, prefix, by, type: types } = options
  if (prefix !== undefined && bucket === undefined) throw new UsageError('--prefix needs --bucket.')
  const { output, signal } = context
  const chosen = { from, to, since, until, bucket, prefix, by, types, requestId: options.request }
  notePeriod(context, options)
  await withReadableStore(context, options, async (store) => {
    let found = 0
    try {
      for await (const event of store.log({ ...chosen, follow, signal })) {
        found++
        await (json ? output.json(event) : output.line(describeEvent(event, output.style)))
      }
      if (found === 0) await assertKnown(context, store, chosen)
    } catch (error) {
      // An interruption is the normal end of `--follow`.
      if (!(follow && error instanceof Interrupted)) throw error
    }
  })
}
