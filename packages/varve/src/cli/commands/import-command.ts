/** `varve import`: brings an archive into a store. */
import type { Seq } from '@varve/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ArchiveImported, importArchive } from '../../archives/import-archive.ts'
import type { ImportCounts, OnConflict } from '../../archives/import-entry.ts'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { parseMoment } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, s3Uri } from '../support/s3-uri.ts'

interface ImportCommandOptions extends ReachingOptions {
  readonly at?: Seq | Date
  readonly onConflict: OnConflict
  readonly withAccess?: boolean
  readonly verify: boolean
  readonly keyring?: string
}

export function importCommand(context: CliContext): Command {
  return reachingCommand('import', 'bring an archive into a bucket')
    .argument('<file>', 'an archive; - for standard input')
    .argument('[s3-uri]', 's3://bucket, which is created if there is none (default: the bucket that was exported)')
    .addOption(
      new Option(
        '--at <moment>',
        'the objects as they were, from an archive with history: a position, or a time',
      ).argParser(parsePast),
    )
    .addOption(
      new Option('--on-conflict <what>', 'for an object that is there with other bytes or metadata')
        .choices(['refuse', 'skip', 'replace'])
        .default('refuse'),
    )
    .option('--with-access', 'also the policy of the bucket, and the ACLs')
    .option('--no-verify', 'do not read the whole archive before the first object is stored')
    .addOption(keyringOption())
    .action((path: string, uri: string | undefined, options: ImportCommandOptions) =>
      runImport(context, path, uri, options),
    )
}

/** An archive knows no snapshots. */
function parsePast(text: string): Seq | Date {
  const moment = parseMoment(text)
  if (typeof moment === 'number' || moment instanceof Date) return moment
  throw new InvalidArgumentError('An archive has positions and times, and no snapshots.')
}

async function runImport(
  context: CliContext,
  path: string,
  uri: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const { output, progress, signal } = context
  const { at, onConflict, withAccess = false, verify, keyring, json = false } = options
  const bucket = uri === undefined ? {} : { bucket: parseBucketUri(uri) }
  await withStore(
    context,
    options,
    async (store) => {
      const imported = await importArchive(store, path === '-' ? context.input() : path, {
        ...bucket,
        onConflict,
        withAccess,
        verify,
        ...(at !== undefined && { at }),
        signal,
        onProgress: (counts) => progress.count('Importing', describe(counts)),
      }).finally(() => progress.clear())
      if (imported.absent > 0)
        context.note(`${imported.absent} versions of the archive have no bytes, and were left out.`)
      await (json ? output.json({ kind: 'imported', file: path, ...imported }) : output.line(summary(imported)))
    },
    await keyringOf(keyring),
  )
}

const summary = ({ bucket, created, ...counts }: ArchiveImported): string =>
  `${printable(s3Uri(bucket))}${created ? ' (new)' : ''}  ${describe(counts)}`

export const describe = ({ stored, markers, unchanged, skipped, bytes }: ImportCounts): string =>
  [
    `stored ${stored}`,
    ...(markers > 0 ? [`${markers} delete markers`] : []),
    ...(unchanged > 0 ? [`${unchanged} were there`] : []),
    ...(skipped > 0 ? [`skipped ${skipped}`] : []),
    `${bytes} bytes`,
  ].join(', ')
