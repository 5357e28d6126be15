/** `varve clock`: shows what time a store assumes, or confirms that the clock of this machine is right. */
import type { ClockStatus } from '@varve/core'
import { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { withStore } from '../support/reach-store.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'
import { commandLine, commandOn } from '../support/program-name.ts'

export function clockCommand(context: CliContext): Command {
  return new Command('clock')
    .description('what the store takes the time to be')
    .addCommand(
      reachingCommand('show', 'show the clock, and what waits because it is in doubt').action(
        (options: ReachingOptions) => runClock(context, options, false),
      ),
    )
    .addCommand(
      storeCommand(
        'accept',
        'confirm that the clock is right: what it says is believed, erasing and the end of locks included',
      ).action((options: StoreCommandOptions) => runClock(context, options, true)),
    )
}

async function runClock(context: CliContext, options: StoreCommandOptions, accept: boolean): Promise<void> {
  const { output } = context
  const { json = false } = options
  await withStore(context, options, async (store) => {
    const status = await (accept ? store.clock.accept() : store.clock.status())
    await (json ? output.json({ kind: 'clock', ...status }) : output.line(clockText(status, options)))
  })
}

/** The status of the clock of the store in a directory, as a sentence. */
export function clockText(
  { state, wall, log, believed, aheadMs, waitingMs }: ClockStatus,
  place?: StoreCommandOptions,
): string {
  const accept = place === undefined ? commandLine('clock accept') : commandOn('clock accept', place)
  const reading = `The clock says ${wall.toISOString()}`
  const until = `what falls due goes by ${believed.toISOString()}`
  if (state === 'ahead') {
    return `${reading}, ${hours(aheadMs)} more than has passed since the store was opened: events get ${log.toISOString()} and ${until}, until it is confirmed (${accept}).`
  }
  if (state === 'waiting') {
    return `${reading}; ${hours(waitingMs)} of it passed unobserved: ${until}, until the store has run for a day or the clock is confirmed.`
  }
  return `${reading}, and is believed.`
}

const hours = (ms: number): string => `${Math.round(ms / 360_000) / 10} hours`
