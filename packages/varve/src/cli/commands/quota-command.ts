/** `varve quota`: how much a bucket may have. */
import type { SettingValues } from '@varve/core'
import { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { parseBytes, parseTotal } from '../support/parse-values.ts'
import { givenLimits, quotaText } from '../support/quota-text.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, s3Uri } from '../support/s3-uri.ts'

type Quota = SettingValues['Quota']

type SetOptions = ReachingOptions & Quota

export function quotaCommand(context: CliContext): Command {
  return new Command('quota')
    .description('how much a bucket may have')
    .addCommand(
      ofBucket('show', 'show the quota of a bucket, and what it has').action((uri: string, options: ReachingOptions) =>
        withStore(context, options, async (store) => {
          const bucket = parseBucketUri(uri)
          await show(context, options, bucket, await store.buckets.settings.get(bucket, 'Quota'))
          const { live, versions, uploads } = await store.usage({ bucket })
          if (options.json === true) return
          await context.output.line(`used: ${live} bytes, versions: ${versions}, uploads: ${uploads}`)
        }),
      ),
    )
    .addCommand(
      ofBucket('set', 'limit a bucket')
        .option('--bytes <size>', 'the most stored bytes, such as 50GiB', parseBytes)
        .option('--object-bytes <size>', 'the most bytes of one object', parseBytes)
        .option('--objects <count>', 'the most versions, also older ones', parseTotal)
        .option('--uploads <count>', 'the most multipart uploads in progress', parseTotal)
        .action((uri: string, { bytes, objectBytes, objects, uploads, ...options }: SetOptions) => {
          const quota: Quota = givenLimits<Quota>({ bytes, objectBytes, objects, uploads })
          if (Object.keys(quota).length === 0)
            throw new UsageError('Which limits?', {
              hint: 'Give `--bytes`, `--object-bytes`, `--objects`, `--uploads` or several of them.',
            })
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
  await output.line(`${s3Uri(bucket)}  ${quotaText(quota ?? {})}`)
}
