/** `varve snapshot`: names moments and keeps their bytes. */
import type { Moment, SnapshotInfo } from '@varve/core'
import { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, s3Uri } from '../support/s3-uri.ts'

interface CreateOptions extends ReachingOptions {
  readonly at?: Moment
}

export function snapshotCommand(context: CliContext): Command {
  return new Command('snapshot')
    .description('named moments whose bytes stay')
    .addCommand(
      reachingCommand('create', 'name the present state, or one of the past, and keep its bytes')
        .argument('<name>', '1 to 20 of a-z and 0-9 with single hyphens, such as before-import', parseText)
        .argument('[s3-uri]', 's3://bucket: keep the bytes of this bucket alone (default: of all buckets)')
        .addOption(momentOption())
        .action((name: string, uri: string | undefined, options: CreateOptions) =>
          runCreate(context, { name, uri }, options),
        ),
    )
    .addCommand(reachingCommand('ls', 'list them').action((options: ReachingOptions) => runList(context, options)))
    .addCommand(
      reachingCommand('rm', 'remove one: what it alone keeps is erased by the retention')
        .argument('<name>', 'its name', parseText)
        .action((name: string, options: ReachingOptions) => runRemove(context, name, options)),
    )
}

async function runCreate(
  context: CliContext,
  { name, uri }: { readonly name: string; readonly uri: string | undefined },
  { at, ...options }: CreateOptions,
): Promise<void> {
  const bucket = uri === undefined ? {} : { bucket: parseBucketUri(uri) }
  await withStore(context, options, async (store) => {
    const moment = at === undefined ? {} : { at: (await atMoment(context, store, at)).seq }
    await show(context, options, await store.snapshots.create(name, { ...bucket, ...moment }))
  })
}

async function runList(context: CliContext, options: ReachingOptions): Promise<void> {
  await withStore(context, options, async (store) => {
    for (const snapshot of await store.snapshots.list()) await show(context, options, snapshot)
  })
}

async function runRemove(context: CliContext, name: string, options: ReachingOptions): Promise<void> {
  const { output } = context
  await withStore(context, options, async (store) => {
    await store.snapshots.delete(name)
    await (options.json === true
      ? output.json({ kind: 'removed', snapshot: name })
      : output.line(`${printable(name)}  removed`))
  })
}

async function show({ output }: CliContext, { json = false }: ReachingOptions, snapshot: SnapshotInfo): Promise<void> {
  if (json) return output.json({ kind: 'snapshot', ...snapshot })
  const { name, seq, bucket, createdAt, createdBy, complete } = snapshot
  const columns = [
    printable(name),
    `position ${seq}`,
    ...(bucket === undefined ? [] : [s3Uri(bucket)]),
    createdAt.toISOString() + output.style.ago(createdAt),
    `by ${printable(createdBy.name)}`,
    ...(complete ? [] : ['some bytes may have been erased before']),
  ]
  await output.line(columns.join('  '))
}
