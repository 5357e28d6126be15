/** `varve fork` and `varve drop`: make buckets that begin as others were, and remove them with everything in them. */
import type { Moment } from '@varve/core'
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, s3Uri } from '../support/s3-uri.ts'

interface ForkOptions extends ReachingOptions {
  readonly at?: Moment
}

export function forkCommand(context: CliContext): Command {
  return reachingCommand('fork', 'make a bucket that begins as another one is, or was; no bytes are copied')
    .argument('<s3-uri>', 's3://bucket: the base')
    .argument('<s3-uri>', 's3://bucket: the fork')
    .addOption(momentOption())
    .action((base: string, fork: string, options: ForkOptions) => runFork(context, { base, fork }, options))
}

export function dropCommand(context: CliContext): Command {
  return reachingCommand('drop', 'remove a fork with everything in it; its base stays as it is')
    .argument('<s3-uri>', 's3://bucket: a fork')
    .action((uri: string, options: ReachingOptions) => runDrop(context, uri, options))
}

async function runFork(
  context: CliContext,
  uris: { readonly base: string; readonly fork: string },
  { at, ...options }: ForkOptions,
): Promise<void> {
  const { output, signal } = context
  const [bucket, name] = [parseBucketUri(uris.base), parseBucketUri(uris.fork)]
  await withStore(context, options, async (store) => {
    const moment = at === undefined ? {} : { at: (await atMoment(context, store, at)).seq }
    const made = await store.buckets.fork(bucket, name, { signal, ...moment })
    const { base } = made
    await (options.json === true
      ? output.json({ kind: 'bucket', ...made })
      : output.line(`${s3Uri(name)}  forked from ${s3Uri(bucket)} at position ${base?.seq ?? 0}`))
  })
}

async function runDrop(context: CliContext, uri: string, options: ReachingOptions): Promise<void> {
  const { output, signal } = context
  const bucket = parseBucketUri(uri)
  await withStore(context, options, async ({ buckets }) => {
    await buckets.drop(bucket, { signal })
    await (options.json === true ? output.json({ kind: 'removed', bucket }) : output.line(`${s3Uri(bucket)}  dropped`))
  })
}
