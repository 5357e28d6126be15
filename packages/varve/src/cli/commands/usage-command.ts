/** `varve usage`: the stored bytes. */
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri } from '../support/s3-uri.ts'

export function usageCommand(context: CliContext): Command {
  return reachingCommand('usage', 'show how many bytes are stored, and how many of them are only kept or pinned')
    .argument('[s3-uri]', 's3://bucket (default: the whole store)')
    .action((uri: string | undefined, options: ReachingOptions) => runUsage(context, uri, options))
}

async function runUsage(context: CliContext, uri: string | undefined, options: ReachingOptions): Promise<void> {
  const { output } = context
  await withStore(context, options, async (store) => {
    const { live, kept, pinned, versions, uploads, free } = await store.usage(
      uri === undefined ? {} : { bucket: parseBucketUri(uri) },
    )
    const room = free === undefined ? '' : `, ${free} free`
    await (options.json === true
      ? output.json({ kind: 'usage', live, kept, pinned, ...(free !== undefined && { free }), versions, uploads })
      : output.line(`${live} bytes live, ${kept} kept, ${pinned} pinned${room}`))
  })
}
