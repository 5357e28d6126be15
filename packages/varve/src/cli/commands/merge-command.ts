/** `varve merge`: gives the bucket that a fork began as what the fork has changed. */
import type { DiffedVersion, MergeConflict, MergeRequest, MergeResult } from '@varve/core'
import { type Command, Option } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import { assertCanAsk, makePlanned } from '../support/planned-change.ts'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseS3Uri, s3Uri } from '../support/s3-uri.ts'
import { describeChange } from './describe-change.ts'

interface MergeCommandOptions extends ReachingOptions {
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly force?: boolean
}

export function mergeCommand(context: CliContext): Command {
  return reachingCommand('merge', 'give the bucket that a fork began as what the fork has changed')
    .argument('<s3-uri>', 's3://fork or s3://fork/prefix')
    .option('-y, --yes', 'do not ask')
    .addOption(new Option('--dry-run', 'only show what would be done').conflicts('yes'))
    .option('--force', 'take what the fork has also where both changed a key')
    .action((uri: string, options: MergeCommandOptions) => runMerge(context, uri, options))
}

async function runMerge(context: CliContext, uri: string, options: MergeCommandOptions): Promise<void> {
  assertCanAsk(options)
  const { bucket: fork, key: prefix } = parseS3Uri(uri)
  const onConflict = options.force === true ? 'force' : 'skip'
  await withStore(context, options, (store) => {
    const mergeNow = (dryRun: boolean) => merge(context, store, { fork, prefix, onConflict, dryRun, inParts: true })
    return makePlanned<MergeResult>(context, options, {
      plan: () => mergeNow(true),
      make: () => mergeNow(false),
      isEmpty: ({ entries }) => entries.length === 0,
      question: ({ entries, bucket }) => `Change ${keys(entries.length)} of ${bucket}?`,
      showPlan: (plan) => showPlan(context, plan),
      showJson: (result) => showJson(context, result),
      summary: ({ entries, bucket }) => `Merged ${keys(entries.length)} into ${s3Uri(bucket)}.`,
    })
  })
}

function merge({ progress, signal }: CliContext, store: ReachedStore, request: MergeRequest): Promise<MergeResult> {
  const onProgress = (done: { readonly done: number; readonly total: number }) => progress.show('Merging', done)
  return store.merge({ ...request, onProgress, signal }).finally(() => progress.clear())
}

async function showPlan({ output }: CliContext, { entries, conflicts, erased }: MergeResult): Promise<void> {
  for (const entry of entries) await output.change(describeChange(entry))
  for (const conflict of conflicts) await output.change(describeConflict(conflict))
  for (const { key } of erased) await output.change(`! ${printable(key)}  its bytes were erased`)
  if (entries.length === 0) await output.line('There is nothing to merge.')
}

async function showJson(
  { output }: CliContext,
  { entries, conflicts, refused, erased, ...result }: MergeResult,
): Promise<void> {
  for (const entry of entries) await output.json({ kind: 'entry', ...entry })
  for (const conflict of conflicts) await output.json({ kind: 'conflict', ...conflict })
  for (const entry of refused) await output.json({ kind: 'refused', ...entry })
  for (const entry of erased) await output.json({ kind: 'erased', ...entry })
  await output.json({ kind: 'result', ...result })
}

const describeConflict = ({ key, fork, base }: MergeConflict): string =>
  `! ${printable(key)}  both changed it: the fork has ${described(fork)}, the base ${described(base)}`

const described = (version: DiffedVersion | undefined): string =>
  version === undefined ? 'no object' : `${version.size} bytes of ${version.lastModified.toISOString()}`

const keys = (count: number): string => (count === 1 ? '1 key' : `${count} keys`)
