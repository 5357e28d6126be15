/** `varve import`: brings an archive or a directory into a bucket. */
import { stat } from 'node:fs/promises'
import { layouts } from '@varve/adapters'
import type { Seq } from '@varve/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { pathOf } from '../../files/paths.ts'
import type { CliContext } from '../support/context.ts'
import { parseEndpoint, reachingCommand } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { ownerOption } from '../support/owner-option.ts'
import { parseMoment } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import {
  type ImportCommandOptions,
  importOfArchive,
  importOfFolder,
  importOfServer,
  importOfStore,
} from './import-sources.ts'

export function importCommand(context: CliContext): Command {
  return reachingCommand(
    'import',
    'bring an archive, a directory, or a bucket of a server of S3 into a bucket, or a whole store into a directory',
  )
    .argument('<source>', 'an archive, - for one on standard input, a directory, or s3://bucket of --from')
    .argument(
      '[target]',
      's3://bucket, which is created if there is none, s3://bucket/prefix/ for a directory, or the new directory of a store',
    )
    .addOption(
      new Option(
        '--from <url>',
        'the server that has the bucket, with the keys in AWS_ACCESS_KEY_ID and so on',
      ).argParser(parseEndpoint),
    )
    .option('--newest-only', 'from a server, no older versions and delete markers')
    .addOption(
      new Option(
        '--at <moment>',
        'the objects as they were, from an archive with history, or the store as it was: a position, or a time',
      ).argParser(parsePast),
    )
    .addOption(
      new Option('--on-conflict <what>', 'for an object that is there with other bytes or metadata')
        .choices(['refuse', 'skip', 'replace'])
        .default('refuse'),
    )
    .addOption(new Option('--layout <name>', 'the layout of the new store').choices(layouts.map(({ name }) => name)))
    .option('--with-access', 'also the policy of the bucket, and the ACLs')
    .option('--no-verify', 'do not read the whole archive before the first object is stored')
    .addOption(ownerOption())
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
  source: string,
  uri: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const isStore = uri !== undefined && !uri.startsWith('s3://')
  if (options.newestOnly === true && options.from === undefined && !isStore)
    throw new UsageError('--newest-only is for a server.', { hint: 'Name the server with `--from URL`.' })
  const path = source === '-' || options.from !== undefined ? source : pathOf('source', source)
  if (isStore) return importOfStore(context, path, uri, options)
  if (options.layout !== undefined) throw new UsageError('--layout is for a whole store, which goes into a directory.')
  const use = await kindOf(path, uri, options)
  await withStore(
    context,
    options,
    (store) => use({ context, store, path, uri }, options).finally(() => context.progress.clear()),
    await keyringOf(options.keyring),
  )
}

/** @throws UsageError */
async function kindOf(path: string, uri: string | undefined, options: ImportCommandOptions) {
  if (options.from !== undefined) {
    assertNoArchive(options)
    return importOfServer
  }
  if (path === '-' || !(await isDirectory(path))) return importOfArchive
  assertNoArchive(options)
  if (uri === undefined) throw new UsageError('Name the bucket for the files of a directory: s3://bucket.')
  return importOfFolder
}

function assertNoArchive({ at, withAccess = false }: ImportCommandOptions): void {
  if (at !== undefined || withAccess) throw new UsageError('--at and --with-access are for archives.')
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
