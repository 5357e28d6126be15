/** `varve ls`: buckets, objects or versions, now or as of the past. */
import type { CommonPrefix, ListedMarker, ListedObject, ListedVersion, Moment } from '@varve/core'
import type { Command } from 'commander'
import type { ReachedView } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { printable } from '../support/printable.ts'
import { parseS3Uri, type S3Uri } from '../support/s3-uri.ts'
import { withReadableStore } from '../support/reach-store.ts'
import type { TerminalStyle } from '../support/terminal-style.ts'
import { readingCommand, type ReadingOptions } from '../support/endpoint-option.ts'

interface LsOptions extends ReadingOptions {
  readonly versions?: boolean
  readonly at?: Moment
  readonly recursive?: boolean
}

type Entry = ListedObject | ListedVersion | ListedMarker | CommonPrefix

export function lsCommand(context: CliContext): Command {
  return readingCommand('ls', 'list buckets, or what is in one')
    .argument('[s3-uri]', 's3://bucket or s3://bucket/prefix (default: the buckets)')
    .option('--versions', 'every version and delete marker, newest first within a key')
    .addOption(momentOption())
    .option('-r, --recursive', 'every key beneath, not one level')
    .action((uri: string | undefined, options: LsOptions) => runLs(context, uri, options))
}

async function runLs(context: CliContext, uri: string | undefined, options: LsOptions): Promise<void> {
  const { at, versions = false } = options
  if (uri === undefined && versions) throw new UsageError('--versions needs s3://bucket or s3://bucket/prefix.')
  const place = uri === undefined ? undefined : parseS3Uri(uri)
  await withReadableStore(context, options, async (store) => {
    const view = at === undefined ? store : await atMoment(context, store, at)
    await (place === undefined ? listBuckets(context, view, options) : listEntries(context, view, place, options))
  })
}

async function listBuckets({ output, signal }: CliContext, view: ReachedView, { json = false }: LsOptions) {
  for await (const bucket of view.buckets.list({ signal })) {
    if (json) await output.json({ kind: 'bucket', ...bucket })
    else await output.line(`${time(bucket.createdAt)}  ${printable(bucket.name)}${output.style.ago(bucket.createdAt)}`)
  }
}

async function listEntries({ output, signal }: CliContext, view: ReachedView, place: S3Uri, options: LsOptions) {
  const { json = false, versions = false, recursive = false } = options
  const listing = { prefix: place.key, ...(recursive ? {} : { delimiter: '/' }), signal }
  const entries: AsyncIterable<Entry> = (versions ? view.versions : view.objects).list(place.bucket, listing)
  for await (const entry of entries) await (json ? output.json(entry) : output.line(describeEntry(entry, output.style)))
}

const sizeWidth = 14
const noTime = ' '.repeat('2026-08-01T00:00:00.000Z'.length)

function describeEntry(entry: Entry, { paint }: TerminalStyle): string {
  switch (entry.kind) {
    case 'prefix':
      return `${noTime}  ${'dir'.padStart(sizeWidth)}  ${paint('blue', printable(entry.prefix))}`
    case 'object':
      return `${time(entry.lastModified)}  ${size(entry.size)}  ${printable(entry.key)}`
    case 'version':
      return `${time(entry.lastModified)}  ${size(entry.size)}  ${versionColumn(entry)}  ${printable(entry.key)}`
    case 'marker':
      return `${time(entry.lastModified)}  ${paint('red', 'deleted'.padStart(sizeWidth))}  ${versionColumn(entry)}  ${printable(entry.key)}`
  }
}

const time = (date: Date): string => date.toISOString()
const size = (bytes: number): string => String(bytes).padStart(sizeWidth)
const versionColumn = ({ versionId, isLatest }: ListedVersion | ListedMarker): string =>
  `${versionId.padEnd(16)} ${isLatest ? 'latest' : '      '}`
