/** `varve quota`: how much a bucket may have. */
import type { SettingValues } from '@varve/core'
import { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { parseBytes } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, s3Uri } from '../support/s3-uri.ts'

type Quota = SettingValues['Quota']

interface SetOptions extends ReachingOptions {
  readonly bytes?: number
  readonly objectBytes?: number
}

export function quotaCommand(context: CliContext): Command {
  return new Command('quota')
    .description('how much a bucket may have')
    .addCommand(
      ofBucket('show', 'show the quota of a bucket, and what it has').action((uri: string, options: ReachingOptions) =>
        withStore(context, options, async (store) => {
          const bucket = parseBucketUri(uri)
          await show(context, options, bucket, await store.buckets.settings.get(bucket, 'Quota'))
          const { live } = await store.usage({ bucket })
          if (options.json !== true) await context.output.line(`${live} bytes are used`)
        }),
      ),
    )
    .addCommand(
      ofBucket('set', 'limit a bucket')
        .option('--bytes <size>', 'the most stored bytes, such as 50GiB', parseBytes)
        .option('--object-bytes <size>', 'the most bytes of one object', parseBytes)
        .action((uri: string, { bytes, objectBytes, ...options }: SetOptions) => {
          if (bytes === undefined && objectBytes === undefined)
            throw new UsageError('Give --bytes, --object-bytes or both.')
          const quota = { ...(bytes !== undefined && { bytes }), ...(objectBytes !== undefined && { objectBytes }) }
          return withStore(context, options, async (store) => {
            const bucket = parseBucketUri(uri)
            await store.buckets.settings.put(bucket, 'Quota', quota)
            await show(context, options, bucket, quota)
          })
        }),
    )
    .addCommand(
      ofBucket('remove', 'limit a bucket no more').action((uri: string, options: ReachingOptions) =>
        withStore(context, options, async (store) => {
          const bucket = parseBucketUri(uri)
          await store.buckets.settings.remove(bucket, 'Quota')
          await show(context, options, bucket, undefined)
        }),
      ),
    )
}

const ofBucket = (name: string, description: string): Command =>
  reachingCommand(name, description).argument('<s3-uri>', 's3://bucket')

async function show(
  { output }: CliContext,
  { json = false }: ReachingOptions,
  bucket: string,
  quota: Quota | undefined,
): Promise<void> {
  if (json) return output.json({ kind: 'quota', bucket, ...quota })
  const { bytes, objectBytes } = quota ?? {}
  const limits = [
    ...(bytes === undefined ? [] : [`at most ${bytes} bytes`]),
    ...(objectBytes === undefined ? [] : [`at most ${objectBytes} bytes an object`]),
  ]
  await output.line(`${s3Uri(bucket)}  ${limits.length === 0 ? 'no quota' : limits.join(', ')}`)
}
