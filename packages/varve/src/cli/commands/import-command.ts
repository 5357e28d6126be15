/** `varve import`: brings an archive or a directory into a bucket. */
import { stat } from 'node:fs/promises'
import type { Seq } from '@varve/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ArchiveImported, importArchive } from '../../archives/import-archive.ts'
import type { LeftOut } from '../../archives/folder-entries.ts'
import { importFolder } from '../../archives/import-folder.ts'
import type { ImportCounts, OnConflict } from '../../archives/import-entry.ts'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { parseMoment } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseBucketUri, parseS3Uri, s3Uri } from '../support/s3-uri.ts'

interface ImportCommandOptions extends ReachingOptions {
  readonly at?: Seq | Date
  readonly onConflict: OnConflict
  readonly withAccess?: boolean
  readonly verify: boolean
  readonly keyring?: string
}

export function importCommand(context: CliContext): Command {
  return reachingCommand('import', 'bring an archive, or the files of a directory, into a bucket')
    .argument('<source>', 'an archive, - for one on standard input, or a directory')
    .argument('[s3-uri]', 's3://bucket, which is created if there is none, or s3://bucket/prefix/ for a directory')
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
  const isFolder = await isDirectory(path)
  if (isFolder) assertOfFolder(uri, options)
  const use = isFolder ? importOfFolder : importOfArchive
  await withStore(
    context,
    options,
    (store) => use({ context, store, path, uri }, options).finally(() => context.progress.clear()),
    await keyringOf(options.keyring),
  )
}

const isDirectory = async (path: string): Promise<boolean> =>
  path !== '-' &&
  (await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  ))

function assertOfFolder(uri: string | undefined, { at, withAccess = false }: ImportCommandOptions): void {
  if (uri === undefined) throw new UsageError('Name the bucket for the files of a directory: s3://bucket.')
  if (at !== undefined || withAccess) throw new UsageError('--at and --with-access are for archives.')
}

interface Import {
  readonly context: CliContext
  readonly store: ReachedStore
  readonly path: string
  readonly uri: string | undefined
}

async function importOfArchive({ context, store, path, uri }: Import, options: ImportCommandOptions): Promise<void> {
  const { output, progress, signal } = context
  const { at, onConflict, withAccess = false, verify, json = false } = options
  const imported = await importArchive(store, path === '-' ? context.input() : path, {
    ...(uri !== undefined && { bucket: parseBucketUri(uri) }),
    onConflict,
    withAccess,
    verify,
    ...(at !== undefined && { at }),
    signal,
    onProgress: (counts) => progress.count('Importing', describe(counts)),
  })
  progress.clear()
  if (imported.absent > 0) context.note(`${imported.absent} versions of the archive have no bytes, and were left out.`)
  await (json ? output.json({ kind: 'imported', file: path, ...imported }) : output.line(summary(imported)))
}

async function importOfFolder(
  { context, store, path, uri = '' }: Import,
  options: ImportCommandOptions,
): Promise<void> {
  const { output, progress, signal } = context
  const { onConflict, json = false } = options
  const { bucket, key: prefix } = parseS3Uri(uri)
  const imported = await importFolder(store, path, {
    bucket,
    prefix,
    onConflict,
    signal,
    onProgress: (counts) => progress.count('Importing', describe(counts)),
  })
  progress.clear()
  for (const file of imported.leftOutFiles)
    context.note(`Left out ${printable(file.path)}: ${leftOutText[file.reason]}.`)
  const unnamed = imported.leftOut - imported.leftOutFiles.length
  if (unnamed > 0) context.note(`Left out ${unnamed} others.`)
  await (json ? output.json({ kind: 'imported', dir: path, ...imported }) : output.line(summary(imported)))
  if (imported.leftOut > 0) context.finish(exitCodes.failed)
}

const leftOutText: Readonly<Record<LeftOut, string>> = {
  link: 'it is a link, and links are not followed',
  special: 'it is no file',
  name: 'its path is no key',
  unreadable: 'it cannot be read',
}

const summary = ({ bucket, created, ...counts }: ImportCounts & Pick<ArchiveImported, 'bucket' | 'created'>): string =>
  `${printable(s3Uri(bucket))}${created ? ' (new)' : ''}  ${describe(counts)}`

const describe = ({ stored, markers, unchanged, skipped, bytes }: ImportCounts): string =>
  [
    `stored ${stored}`,
    ...(markers > 0 ? [`${markers} delete markers`] : []),
    ...(unchanged > 0 ? [`${unchanged} were there`] : []),
    ...(skipped > 0 ? [`skipped ${skipped}`] : []),
    `${bytes} bytes`,
  ].join(', ')
