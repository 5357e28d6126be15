/** `varve put`: stores a file, or standard input, as an object. */
import { basename } from 'node:path'
import type { Command } from 'commander'
import { file } from '../../bodies/file.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { parseMetadata, parseText } from '../support/parse-values.ts'
import { withStore } from '../support/reach-store.ts'
import { parseS3Uri, type S3Uri } from '../support/s3-uri.ts'
import { showWritten } from '../support/show-written.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'

interface PutCommandOptions extends ReachingOptions {
  readonly contentType?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly overwrite: boolean
  readonly keyring?: string
}

export function putCommand(context: CliContext): Command {
  return reachingCommand('put', 'store a file as an object')
    .argument('<file>', 'the file; - for standard input')
    .argument('<s3-uri>', 's3://bucket/key, or s3://bucket/prefix/ to add the name of the file')
    .option('--content-type <type>', 'media type of the bytes', parseText)
    .option('--metadata <name=value>', 'metadata of your own; repeat it for more', parseMetadata)
    .option('--no-overwrite', 'only if there is no object with this key')
    .addOption(keyringOption())
    .action((path: string, uri: string, options: PutCommandOptions) => runPut(context, path, uri, options))
}

async function runPut(context: CliContext, path: string, uri: string, options: PutCommandOptions): Promise<void> {
  const { contentType, metadata, overwrite, keyring } = options
  const { bucket, key } = targetOf(uri, path)
  const body = path === '-' ? context.input() : file(path)
  const how = {
    signal: context.signal,
    ...(contentType !== undefined && { contentType }),
    ...(metadata !== undefined && { metadata }),
    ...(overwrite ? {} : { ifNoneMatch: '*' as const }),
  }
  await withStore(
    context,
    options,
    async ({ objects }) => showWritten(context, options, { bucket, key }, await objects.put(bucket, key, body, how)),
    await keyringOf(keyring),
  )
}

/** @throws UsageError */
function targetOf(uri: string, path: string): S3Uri {
  const { bucket, key } = parseS3Uri(uri)
  if (key !== '' && !key.endsWith('/')) return { bucket, key }
  if (path === '-')
    throw new UsageError('Standard input has no name.', { hint: 'Give the whole key, such as `s3://bucket/key`.' })
  return { bucket, key: key + basename(path) }
}
