/** `varve undo`: takes back what a user, a request or a period did. */
import type { EventType, Moment, UndoConflict, UndoEntry, UndoRequest, UndoResult } from '@varve/core'
import { type Command, Option } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import { assertKnown } from '../support/known-in-log.ts'
import { assertCanAsk, makePlanned } from '../support/planned-change.ts'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { notePeriod } from '../support/moment-option.ts'
import { parseMoment, parseTypes } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseS3Uri, s3Uri } from '../support/s3-uri.ts'
import { commandOn } from '../support/program-name.ts'

interface UndoCommandOptions extends ReachingOptions {
  readonly by?: string
  readonly request?: string
  readonly since?: Moment
  readonly until?: Moment
  readonly type?: readonly EventType[]
  readonly force?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export function undoCommand(context: CliContext): Command {
  return reachingCommand('undo', 'take back what a user, a request or a period did')
    .argument('[s3-uri]', 'only in s3://bucket, or beneath s3://bucket/prefix')
    .option('--by <actor>', 'only what the actor with this name or id did')
    .option('--request <id>', 'only what the request with this id did')
    .option('--since <moment>', 'only what happened after a position or a time, such as "2h ago"', parseMoment)
    .option('--until <moment>', 'only what happened up to a position or a time', parseMoment)
    .option('--type <types>', 'only events of this type, such as VersionRemoved; can be repeated', parseTypes)
    .option('--force', 'also undo what others have changed since')
    .option('-y, --yes', 'do not ask')
    .addOption(new Option('--dry-run', 'only show what would be done').conflicts('yes'))
    .action((uri: string | undefined, options: UndoCommandOptions) => runUndo(context, uri, options))
}

async function runUndo(context: CliContext, uri: string | undefined, options: UndoCommandOptions): Promise<void> {
  assertCanAsk(options)
  const request = requestOf(uri, options)
  notePeriod(context, options)
  await withStore(context, options, (store) =>
    makePlanned<UndoResult>(context, options, {
      async plan() {
        const plan = await undo(context, store, { ...request, dryRun: true })
        if (isNothing(plan)) await assertKnown(context, store, request)
        return plan
      },
      // What happens from now on is not chosen.
      make: ({ planned }) => undo(context, store, { ...request, to: request.to ?? planned }),
      isEmpty: ({ entries }) => entries.length === 0,
      question: ({ entries }) => `Make ${changes(entries.length)}?`,
      showPlan: (plan) => showPlan(context, plan),
      showJson: (result) => showJson(context, result),
      summary: ({ id, entries }) =>
        `Made ${changes(entries.length)}.${id === undefined ? '' : ` Undo this with: ${commandOn(`undo --request ${id}`, options)}`}`,
    }),
  )
}

const isNothing = ({ entries, conflicts, erased, left }: UndoResult): boolean =>
  entries.length + conflicts.length + erased.length + left.length === 0

/** Conflicts are shown and left as they are. */
function requestOf(uri: string | undefined, options: UndoCommandOptions): UndoRequest {
  const { by, request: requestId, since: from, until: to, type: types, force = false } = options
  if (by === undefined && requestId === undefined && from === undefined)
    throw new UsageError('What is to be undone?', { hint: 'Choose it with `--by`, `--request` or `--since`.' })
  const chosen = { by, requestId, from, to, types, ...placeOf(uri) }
  const present = Object.entries(chosen).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(present) as UndoRequest), onConflict: force ? 'force' : 'skip', inParts: true }
}

function placeOf(uri: string | undefined): Pick<UndoRequest, 'bucket' | 'prefix'> {
  if (uri === undefined) return {}
  const { bucket, key: prefix } = parseS3Uri(uri)
  return { bucket, ...(prefix !== '' && { prefix }) }
}

function undo({ progress, signal }: CliContext, store: ReachedStore, request: UndoRequest): Promise<UndoResult> {
  const onProgress = (done: { readonly done: number; readonly total: number }) => progress.show('Undoing', done)
  return store.undo({ ...request, onProgress, signal }).finally(() => progress.clear())
}

async function showPlan({ output }: CliContext, { entries, conflicts, erased, left }: UndoResult): Promise<void> {
  for (const entry of entries) await output.change(describeEntry(entry))
  for (const conflict of conflicts) await output.change(`! ${describeConflict(conflict)}`)
  for (const { bucket, key } of erased) await output.change(`! ${printable(s3Uri(bucket, key))}  its bytes were erased`)
  for (const { type, events } of left) await output.change(`! ${events} ${type} cannot be undone`)
  if (entries.length === 0) await output.line('There is nothing to undo.')
}

async function showJson(
  { output }: CliContext,
  { entries, conflicts, erased, left, ...result }: UndoResult,
): Promise<void> {
  for (const entry of entries) await output.json({ entry })
  for (const conflict of conflicts) await output.json({ conflict })
  for (const one of erased) await output.json({ erased: one })
  for (const one of left) await output.json({ left: one })
  await output.json({ result })
}

const signs = { added: '+', removed: '-', changed: '~', unchanged: '~' } as const

function describeEntry(entry: UndoEntry): string {
  const place = printable(s3Uri(entry.bucket, entry.kind === 'key' ? entry.key : ''))
  switch (entry.kind) {
    case 'bucket':
      return `${entry.action === 'restore' ? '+' : '-'} ${place}  the bucket`
    case 'setting':
      return `~ ${place}  ${entry.setting}${entry.value === undefined ? ' is removed' : ' is set back'}`
    case 'key': {
      const { effect, removes, restores, annotates } = entry
      const facts = [
        ...(restores.length > 0 ? [`${versions(restores.length)} back`] : []),
        ...(removes.length > 0 ? [`${versions(removes.length)} removed`] : []),
        ...annotates,
      ]
      return `${signs[effect]} ${place}  ${facts.join(', ')}`
    }
  }
}

const reasons = {
  locked: 'a version is locked',
  bucket: 'its bucket is gone, or is another one',
  refused: 'it was changed just now',
} as const

function describeConflict({ bucket, key, setting, reason, seq, by }: UndoConflict): string {
  const place = printable(s3Uri(bucket, key ?? ''))
  const what = reason === 'changed' ? `changed by ${printable(by?.name ?? '')} in event ${seq}` : reasons[reason]
  return [place, ...(setting === undefined ? [] : [setting]), what].join('  ')
}

const changes = (count: number): string => (count === 1 ? '1 change' : `${count} changes`)
const versions = (count: number): string => (count === 1 ? '1 version' : `${count} versions`)
