/** `varve retention`: how long removed bytes stay. */
import type { ByteRetention, OfBucket, RetentionState } from '@varve/core'
import { Command } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { parseBudget, parseDuration } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri } from '../support/s3-uri.ts'
import { storeCommand, type StoreCommandOptions } from '../support/store-command.ts'

interface SetOptions extends StoreCommandOptions {
  readonly budget?: NonNullable<ByteRetention['budget']>
}

export function retentionCommand(context: CliContext): Command {
  return new Command('retention')
    .description('how long removed bytes stay, so that the past can be read')
    .addCommand(
      reachingCommand('show', 'show what counts for the store, or for a bucket')
        .argument('[s3-uri]', 's3://bucket (default: the whole store)')
        .action((uri: string | undefined, options: ReachingOptions) =>
          runRetention(context, options, ({ retention }) => retention.get(bucketIn(uri))),
        ),
    )
    .addCommand(
      storeCommand('set', 'state how long: the log says who did')
        .argument('<duration>', '0, or a number with ms, s, m, h or d, such as 30d', parseDuration)
        .argument('[s3-uri]', 's3://bucket (default: the whole store)')
        .option('--budget <room>', 'the room that kept bytes may take, such as 10% or 50GiB', parseBudget)
        .action((keepMs: number, uri: string | undefined, { budget, ...options }: SetOptions) =>
          runRetention(context, options, ({ retention }) =>
            retention.set({ keepMs, ...(budget && { budget }) }, bucketIn(uri)),
          ),
        ),
    )
    .addCommand(
      storeCommand('remove', 'let a bucket follow the store again')
        .argument('<s3-uri>', 's3://bucket')
        .action((uri: string, options: StoreCommandOptions) =>
          runRetention(context, options, ({ retention }) => retention.remove({ bucket: parseBucketUri(uri) })),
        ),
    )
}

const bucketIn = (uri: string | undefined): OfBucket => (uri === undefined ? {} : { bucket: parseBucketUri(uri) })

async function runRetention(
  context: CliContext,
  options: ReachingOptions,
  ask: (store: ReachedStore) => Promise<RetentionState>,
): Promise<void> {
  const { output } = context
  await withStore(context, options, async (store) => {
    const state = await ask(store)
    await (options.json === true ? output.json({ kind: 'retention', ...state }) : output.line(retentionText(state)))
  })
}

/** The retention, as a sentence. */
function retentionText({ keepMs, budget = {}, statedBy, since }: RetentionState): string {
  const limits = [
    ...(budget.percent === undefined ? [] : [`${budget.percent}% of the medium`]),
    ...(budget.bytes === undefined ? [] : [`${budget.bytes} bytes`]),
  ]
  const within = limits.length === 0 ? '' : ` within ${limits.join(' and ')}`
  const kept = keepMs === 0 ? 'Removed bytes are not kept' : `Removed bytes are kept for ${days(keepMs)}${within}`
  return `${kept}: ${origins[statedBy]}${since === undefined ? '' : `, event ${since}`}.`
}

const origins = {
  bucket: 'stated for the bucket',
  store: 'stated for the store',
  opening: 'the log states nothing, so the options of its owner count',
} as const

const days = (ms: number): string => `${Math.round(ms / 864_000) / 100} days`
