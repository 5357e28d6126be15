/** `varve accept-loss`: accepts a database that is older than the blobs beside it. */
import { Command, Option } from 'commander'
import type { Loss } from '../../parts/accept-loss.ts'
import type { CliContext } from '../support/context.ts'
import { addressOptions } from '../support/address-options.ts'
import { UsageError } from '../support/exit-codes.ts'
import { assertCanAsk, makePlanned, type PlannedChangeOptions } from '../support/planned-change.ts'
import { jsonOption } from '../support/store-command.ts'

interface AcceptLossOptions extends PlannedChangeOptions {
  readonly journal?: string
  readonly blobs?: string
}

export function acceptLossCommand(context: CliContext): Command {
  const command = new Command('accept-loss').description(
    'accept a database that is older than its blobs; blobs of lost events go to quarantine',
  )
  for (const option of [...addressOptions(), jsonOption()]) command.addOption(option)
  return command
    .option('-y, --yes', 'do not ask')
    .addOption(new Option('--dry-run', 'only show what would be done').conflicts('yes'))
    .action((options: AcceptLossOptions) => runAcceptLoss(context, options))
}

async function runAcceptLoss(context: CliContext, options: AcceptLossOptions): Promise<void> {
  const { journal, blobs } = options
  if (journal === undefined || blobs === undefined)
    throw new UsageError('Which store?', { hint: 'Add `--journal` and `--blobs`.' })
  assertCanAsk(options)
  // Imported here, so that other commands do not load it.
  const { acceptLoss, findLoss } = await import('../../parts/accept-loss.ts')
  await makePlanned<Loss>(context, options, {
    plan: () => findLoss({ journal, blobs }),
    make: () => acceptLoss({ journal, blobs }),
    isEmpty: ({ isLost }) => !isLost,
    question: ({ head }) => `Go on from event ${head}, without what is lost? No server of the store may run.`,
    showPlan: (plan) => context.output.line(planText(plan)),
    showJson: ({ isLost, ...fields }) => context.output.json({ kind: 'loss', lost: isLost, ...fields }),
    summary: ({ isLost, head, blobs: count }) =>
      isLost ? `The store goes on from event ${head}. ${count} blobs are in quarantine.` : 'Nothing was changed.',
  })
}

function planText({ head, witness, isLost, blobs }: Loss): string {
  if (!isLost) return `The log ends at event ${head} and has all that the witness knows. There is nothing to accept.`
  const known = witness === null ? 'the witness is damaged' : `the witness knows other events up to ${witness}`
  return `The log ends at event ${head}; ${known}. ${blobs} blobs, which no event names, go to quarantine.`
}
