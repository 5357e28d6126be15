/** `varve cp`: copies an object within the store, without moving its bytes. */
import type { Moment } from '@varve/core'
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { parseText } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import { lastPart, parseObjectUri, parseS3Uri } from '../support/s3-uri.ts'
import { showWritten } from '../support/show-written.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'

interface CopyCommandOptions extends ReachingOptions {
  readonly versionId?: string
  readonly at?: Moment
  readonly keyring?: string
}

export function cpCommand(context: CliContext): Command {
  return reachingCommand('cp', 'copy an object within the store')
    .argument('<source>', 's3://bucket/key')
    .argument('<target>', 's3://bucket/key, or s3://bucket/prefix/ to add the last part of the key')
    .option('--version-id <id>', 'copy this version, not the newest', parseText)
    .addOption(momentOption())
    .addOption(keyringOption())
    .action((source: string, target: string, options: CopyCommandOptions) => runCopy(context, source, target, options))
}

async function runCopy(
  context: CliContext,
  source: string,
  target: string,
  options: CopyCommandOptions,
): Promise<void> {
  const { versionId, at, keyring } = options
  const from = parseObjectUri(source)
  const { bucket, key: given } = parseS3Uri(target)
  const key = given === '' || given.endsWith('/') ? given + lastPart(from.key) : given
  await withStore(
    context,
    options,
    async (store) => {
      const { signal } = context
      const then = at === undefined ? {} : { at: (await atMoment(context, store, at)).seq }
      const version = { ...from, ...then, ...(versionId !== undefined && { versionId }) }
      await showWritten(context, options, { bucket, key }, await store.objects.copy(version, bucket, key, { signal }))
    },
    await keyringOf(keyring),
  )
}
