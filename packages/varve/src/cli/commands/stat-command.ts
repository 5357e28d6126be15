/** `varve stat`: the facts of an object or of a bucket. */
import type { BucketInfo, Moment, ObjectInfo } from '@varve/core'
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withReadableStore } from '../support/reach-store.ts'
import { parseS3Uri } from '../support/s3-uri.ts'
import { readingCommand, type ReadingOptions } from '../support/endpoint-option.ts'

interface StatOptions extends ReadingOptions {
  readonly versionId?: string
  readonly at?: Moment
}

export function statCommand(context: CliContext): Command {
  return readingCommand('stat', 'show the facts of an object or a bucket')
    .argument('<s3-uri>', 's3://bucket or s3://bucket/key')
    .option('--version-id <id>', 'of this version, not the newest', parseText)
    .addOption(momentOption())
    .action((uri: string, options: StatOptions) => runStat(context, uri, options))
}

async function runStat(context: CliContext, uri: string, options: StatOptions): Promise<void> {
  const { versionId, at } = options
  const { signal } = context
  const { bucket, key } = parseS3Uri(uri)
  if (key === '' && versionId !== undefined) throw new UsageError('--version-id needs s3://bucket/key.')
  await withReadableStore(context, options, async (store) => {
    const view = at === undefined ? store : await atMoment(context, store, at)
    if (key === '') return show(context, options, 'bucket', await view.buckets.head(bucket, { signal }))
    const version = versionId === undefined ? {} : { versionId }
    await show(context, options, 'object', await view.objects.head(bucket, key, { signal, ...version }))
  })
}

const nameWidth = 'bucketVersioning'.length

async function show(
  { output }: CliContext,
  { json = false }: StatOptions,
  kind: 'bucket' | 'object',
  facts: BucketInfo | ObjectInfo,
): Promise<void> {
  if (json) return output.json({ kind, ...facts })
  for (const [name, value] of Object.entries(facts)) {
    await output.line(`${name.padEnd(nameWidth)}  ${printable(textOf(value))}`)
  }
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}
