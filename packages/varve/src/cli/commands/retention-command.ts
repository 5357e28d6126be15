/** `varve retention`: how long removed bytes stay. */
import type { ByteRetention, OfBucket, RetentionPlan, RetentionState } from '@varve/core'
import { Command, Option } from 'commander'
import { isConfirmed } from '../support/confirm.ts'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { durationWords } from '../support/duration-words.ts'
import type { PlannedChangeOptions } from '../support/planned-change.ts'
import { durationForm, parseBudget, parseDuration } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri } from '../support/s3-uri.ts'
import { storeCommand, type StoreCommandOptions } from '../support/store-command.ts'

interface ChangeOptions extends StoreCommandOptions, PlannedChangeOptions {
  readonly grace: number
}

interface SetOptions extends ChangeOptions {
  readonly budget?: NonNullable<ByteRetention['budget']>
}

const dayMs = 86_400_000

/** A command that can let bytes go. */
const changeCommand = (name: string, description: string): Command =>
  storeCommand(name, description)
    .addOption(
      new Option('--grace <duration>', 'how long what is shorter does not count yet; 0: it counts at once')
        .argParser(parseDuration)
        .default(dayMs, '1d'),
    )
    .option('--dry-run', 'only show what would be erased')
    .option('-y, --yes', 'do not ask')

export function retentionCommand(context: CliContext): Command {
  return new Command('retention')
    .description('how long removed bytes stay, so that the past can be read')
    .addCommand(
      reachingCommand('show', 'show what counts for the store, or for a bucket')
        .argument('[s3-uri]', 's3://bucket (default: the whole store)')
        .action((uri: string | undefined, options: ReachingOptions) =>
          withStore(context, options, async ({ retention }) =>
            show(context, options, await retention.get(bucketIn(uri))),
          ),
        ),
    )
    .addCommand(
      changeCommand('set', 'state how long: the log says who did')
        .argument('<duration>', `0, or ${durationForm}, such as 30d`, parseDuration)
        .argument('[s3-uri]', 's3://bucket (default: the whole store)')
        .option('--budget <room>', 'the room that kept bytes may take, such as 10% or 50GiB', parseBudget)
        .action((keepMs: number, uri: string | undefined, { budget, ...options }: SetOptions) =>
          change(context, options, { keepMs, ...(budget && { budget }) }, bucketIn(uri)),
        ),
    )
    .addCommand(
      changeCommand('remove', 'let a bucket follow the store again')
        .argument('<s3-uri>', 's3://bucket')
        .action((uri: string, options: ChangeOptions) =>
          change(context, options, null, { bucket: parseBucketUri(uri) }),
        ),
    )
}

const bucketIn = (uri: string | undefined): OfBucket => (uri === undefined ? {} : { bucket: parseBucketUri(uri) })

const show = ({ output }: CliContext, { json = false }: { readonly json?: boolean }, state: RetentionState) =>
  json ? output.json({ kind: 'retention', ...state }) : output.line(retentionText(state))

/** What keeps bytes for longer is made at once. What lets some go is shown first, and a person is asked. */
async function change(
  context: CliContext,
  options: ChangeOptions,
  given: ByteRetention | null,
  of: OfBucket,
): Promise<void> {
  const { output } = context
  const { grace: graceMs, json = false, yes = false, dryRun = false } = options
  const how = { ...of, graceMs }
  await withStore(context, options, async ({ retention }) => {
    const { isShorter, erases } = await retention.plan(given, how)
    const make = (): Promise<RetentionState> =>
      given === null
        ? retention.remove({ bucket: of.bucket ?? '', ...(isShorter && { graceMs }) })
        : retention.set(given, { ...of, ...(isShorter && { graceMs }) })
    const plan = { isShorter, erases, graceMs }
    if (dryRun) return json ? output.json({ kind: 'plan', ...plan }) : output.line(planText(plan))
    if (isShorter && !yes) {
      if (json)
        throw new UsageError('This keeps removed bytes for a shorter time.', { hint: 'Add `--yes` or `--dry-run`.' })
      await output.line(planText(plan))
      if (!(await isConfirmed(context, 'Set it?'))) {
        context.note('Nothing was changed.')
        return context.finish(exitCodes.failed)
      }
    }
    await show(context, options, await make())
  })
}

interface Plan extends RetentionPlan {
  readonly graceMs: number
}

function planText({ isShorter, erases: { contents, bytes }, graceMs }: Plan): string {
  if (!isShorter) return 'Nothing is kept for a shorter time.'
  const when = graceMs === 0 ? 'at once' : `${durationWords(graceMs)} from now`
  const what = contents === 1 ? '1 removed content' : `${contents} removed contents`
  return contents === 0
    ? `Removed bytes are kept for a shorter time or in less room, beginning ${when}. Nothing that is kept now is erased then.`
    : `This erases ${what} (${bytes} bytes) for good, beginning ${when}.`
}

/** The retention, as a sentence. */
function retentionText({ before, ...state }: RetentionState): string {
  const { statedBy, since } = state
  const origin = `${origins[statedBy]}${since === undefined ? '' : `, event ${since}`}`
  const until = before && ` Until ${before.until.toISOString()}: ${keptText(before)}.`
  return `${keptText(state)}: ${origin}.${until ?? ''}`
}

function keptText({ keepMs, budget = {} }: ByteRetention): string {
  const limits = [
    ...(budget.percent === undefined ? [] : [`${budget.percent}% of the medium`]),
    ...(budget.bytes === undefined ? [] : [`${budget.bytes} bytes`]),
  ]
  const within = limits.length === 0 ? '' : ` within ${limits.join(' and ')}`
  return keepMs === 0 ? 'Removed bytes are not kept' : `Removed bytes are kept for ${durationWords(keepMs)}${within}`
}

const origins = {
  bucket: 'stated for the bucket',
  store: 'stated for the store',
  opening: 'the log states nothing, so the options of its owner count',
} as const
