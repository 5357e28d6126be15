/** `varve mb` and `varve rb`: make and remove buckets. */
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { ownerIn, ownerOption, type OwnerOptions } from '../support/owner-option.ts'
import { parseText } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, s3Uri } from '../support/s3-uri.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'

interface MakeOptions extends ReachingOptions, OwnerOptions {
  readonly region?: string
  readonly versioning?: boolean
}

export function mbCommand(context: CliContext): Command {
  return reachingCommand('mb', 'make a bucket')
    .argument('<s3-uri>', 's3://bucket')
    .option('--region <region>', 'region of the bucket (default: that of the store)', parseText)
    .option('--versioning', 'with versioning enabled')
    .addOption(ownerOption())
    .action((uri: string, options: MakeOptions) => runMake(context, uri, options))
}

export function rbCommand(context: CliContext): Command {
  return reachingCommand('rb', 'remove an empty bucket')
    .argument('<s3-uri>', 's3://bucket')
    .action((uri: string, options: ReachingOptions) => runRemove(context, uri, options))
}

async function runMake(context: CliContext, uri: string, options: MakeOptions): Promise<void> {
  const { output, signal } = context
  const { region, versioning = false, json = false } = options
  const bucket = parseBucketUri(uri)
  await withStore(context, options, async (store) => {
    const made = await store.buckets.create(bucket, {
      signal,
      ...(await ownerIn(context, store, options)),
      ...(region !== undefined && { region }),
      ...(versioning && { versioning: 'Enabled' }),
    })
    await (json ? output.json({ kind: 'bucket', ...made }) : output.line(`${s3Uri(bucket)}  made, in ${made.region}`))
  })
}

async function runRemove(context: CliContext, uri: string, options: ReachingOptions): Promise<void> {
  const { output, signal } = context
  const bucket = parseBucketUri(uri)
  await withStore(context, options, async ({ buckets }) => {
    await buckets.delete(bucket, { signal })
    await (options.json === true ? output.json({ kind: 'removed', bucket }) : output.line(`${s3Uri(bucket)}  removed`))
  })
}
