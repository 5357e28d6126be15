/** `varve diff`: what differs in a bucket, or beneath a prefix, between two moments. */
import type { DiffEntry, DiffedVersion, Moment } from '@varve/core'
import { type Command, Option } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { atMoment } from '../support/moment-option.ts'
import { parseMoment } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseS3Uri } from '../support/s3-uri.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'

interface DiffCommandOptions extends ReachingOptions {
  readonly from: Moment
  readonly to?: Moment
}

export function diffCommand(context: CliContext): Command {
  return reachingCommand('diff', 'show what differs between two moments')
    .argument('<s3-uri>', 's3://bucket or s3://bucket/prefix')
    .addOption(
      new Option('--from <moment>', 'a position in the log, a time such as "2h ago", or a snapshot')
        .argParser(parseMoment)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--to <moment>', 'the other moment (default: now)').argParser(parseMoment))
    .action((uri: string, options: DiffCommandOptions) => runDiff(context, uri, options))
}

async function runDiff(context: CliContext, uri: string, options: DiffCommandOptions): Promise<void> {
  const { output, signal } = context
  const { bucket, key: prefix } = parseS3Uri(uri)
  await withStore(context, options, async (store) => {
    const from = await positionOf(context, store, options.from)
    const to = options.to === undefined ? await store.seq : await positionOf(context, store, options.to)
    for await (const entry of store.diff({ bucket, prefix }, from, to, { signal })) {
      await (options.json === true ? output.json(entry) : output.change(describeDiff(entry)))
    }
  })
}

const positionOf = async (context: CliContext, store: ReachedStore, moment: Moment) =>
  (await atMoment(context, store, moment)).seq

/** One line: `+` added, `-` removed, `~` changed. */
function describeDiff(entry: DiffEntry): string {
  switch (entry.kind) {
    case 'bucket':
      return `~ the bucket was ${entry.change}`
    case 'setting':
      return `~ ${entry.setting}: ${short(entry.before)} -> ${short(entry.after)}`
    case 'added':
      return `+ ${printable(entry.key)}  ${sizeOf(entry.after)}`
    case 'removed':
      return `- ${printable(entry.key)}  ${sizeOf(entry.before)}`
    case 'changed': {
      const { before, after } = entry
      const sizes = before.size === after.size ? sizeOf(after) : `${before.size} -> ${sizeOf(after)}`
      return `~ ${printable(entry.key)}  ${sizes}, ${entry.aspects.join(', ')}`
    }
  }
}

const sizeOf = ({ size }: DiffedVersion): string => `${size} bytes`

const shortMax = 120

function short(value: unknown): string {
  const text = printable(value === undefined ? 'not set' : JSON.stringify(value))
  return text.length <= shortMax ? text : `${text.slice(0, shortMax)}…`
}
