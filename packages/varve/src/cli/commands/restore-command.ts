/** `varve restore`: makes the objects of a bucket, or beneath a prefix, what they were at a moment. */
import type { Moment, RestoreResult } from '@varve/core'
import { type Command, Option } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { atMoment } from '../support/moment-option.ts'
import { assertCanAsk, makePlanned } from '../support/planned-change.ts'
import { parseMoment } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseS3Uri, type S3Uri } from '../support/s3-uri.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { describeChange } from './describe-change.ts'

interface RestoreCommandOptions extends ReachingOptions {
  readonly to: Moment
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly strict?: boolean
  readonly settings?: boolean
  readonly deletedBucket?: boolean
}

export function restoreCommand(context: CliContext): Command {
  return reachingCommand('restore', 'make objects what they were at a moment')
    .argument('<s3-uri>', 's3://bucket or s3://bucket/prefix')
    .addOption(
      new Option('--to <moment>', 'a position in the log, a time such as "2h ago", or a snapshot')
        .argParser(parseMoment)
        .makeOptionMandatory(),
    )
    .option('-y, --yes', 'do not ask')
    .addOption(new Option('--dry-run', 'only show what would be done').conflicts('yes'))
    .option('--settings', 'also give the bucket its settings of then, among them policies')
    .option('--deleted-bucket', 'take the bucket back first, if it was deleted')
    .option('--strict', 'restore nothing if the bytes of one object were erased')
    .action((uri: string, options: RestoreCommandOptions) => runRestore(context, uri, options))
}

async function runRestore(context: CliContext, uri: string, options: RestoreCommandOptions): Promise<void> {
  assertCanAsk(options)
  const place = parseS3Uri(uri)
  await withStore(context, options, async (store) => {
    const { seq: to } = await atMoment(context, store, options.to)
    const restore = (dryRun: boolean) => restoreTo(context, store, { place, to, options }, dryRun)
    await makePlanned<RestoreResult>(context, options, {
      plan: () => restore(true),
      make: () => restore(false),
      isEmpty,
      question: (plan) => `Change ${changes(plan)}?`,
      showPlan: (plan) => showPlan(context, plan),
      showJson: (result) => showJson(context, result),
      summary: (done) => `Restored ${changes(done)} to position ${to}.`,
    })
  })
}

interface Restoring {
  readonly place: S3Uri
  readonly to: number
  readonly options: RestoreCommandOptions
}

async function restoreTo(
  { progress, signal }: CliContext,
  store: ReachedStore,
  { place, to, options }: Restoring,
  dryRun: boolean,
): Promise<RestoreResult> {
  const { strict = false, settings = false, deletedBucket = false } = options
  const { bucket, key: prefix } = place
  const onProgress = (done: { readonly done: number; readonly total: number }) => progress.show('Restoring', done)
  const request = { bucket, prefix, to, settings, deletedBucket, dryRun, strict, inParts: true, onProgress, signal }
  return store.restore(request).finally(() => progress.clear())
}

async function showPlan({ output }: CliContext, plan: RestoreResult): Promise<void> {
  const { deletedBucket, settings, settingsLeft, entries, erased } = plan
  if (deletedBucket !== undefined) await output.change('+ the bucket')
  for (const { setting, value } of settings)
    await output.change(`~ ${setting}${value === undefined ? ' is removed' : ' is set back'}`)
  for (const setting of settingsLeft) await output.change(`! ${setting} cannot be set back`)
  for (const entry of entries) await output.change(describeChange(entry))
  for (const { key } of erased) await output.change(`! ${printable(key)}  its bytes were erased`)
  if (isEmpty(plan)) await output.line('There is nothing to restore.')
}

async function showJson(
  { output }: CliContext,
  { settings, settingsLeft, entries, erased, conflicts, ...result }: RestoreResult,
): Promise<void> {
  for (const entry of settings) await output.json({ kind: 'setting', ...entry })
  for (const setting of settingsLeft) await output.json({ kind: 'settingLeft', setting })
  for (const entry of entries) await output.json({ kind: 'entry', ...entry })
  for (const entry of erased) await output.json({ kind: 'erased', ...entry })
  for (const entry of conflicts) await output.json({ kind: 'conflict', ...entry })
  await output.json({ kind: 'result', ...result })
}

const isEmpty = ({ deletedBucket, settings, entries }: RestoreResult): boolean =>
  deletedBucket === undefined && settings.length + entries.length === 0

function changes({ deletedBucket, settings, entries }: RestoreResult): string {
  const keys = entries.length === 1 ? '1 key' : `${entries.length} keys`
  return [
    ...(deletedBucket === undefined ? [] : ['the bucket']),
    ...(settings.length === 0 ? [] : [settings.length === 1 ? '1 setting' : `${settings.length} settings`]),
    keys,
  ].join(', ')
}
