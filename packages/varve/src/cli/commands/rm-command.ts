/** `varve rm`: deletes objects, or one version. */
import type { DeleteResult } from '@varve/core'
import type { Command } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseObjectUri, parseS3Uri, type S3Uri, s3Uri } from '../support/s3-uri.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'

interface RemoveOptions extends ReachingOptions {
  readonly versionId?: string
  readonly recursive?: boolean
}

/** Deletes that wait for one commit together. */
const inFlightMax = 8

export function rmCommand(context: CliContext): Command {
  return reachingCommand('rm', 'delete an object')
    .argument('<s3-uri>', 's3://bucket/key; with --recursive, s3://bucket or s3://bucket/prefix')
    .option('--version-id <id>', 'remove this version for good', parseText)
    .option('-r, --recursive', 'every key beneath')
    .action((uri: string, options: RemoveOptions) => runRemove(context, uri, options))
}

async function runRemove(context: CliContext, uri: string, options: RemoveOptions): Promise<void> {
  const { versionId, recursive = false } = options
  if (recursive && versionId !== undefined) throw new UsageError('--version-id names one version, not those beneath.')
  const place = recursive ? parseS3Uri(uri) : parseObjectUri(uri)
  await withStore(context, options, async (store) => {
    if (recursive) return removeBeneath(context, store, place, options)
    const { signal } = context
    const version = versionId === undefined ? {} : { versionId }
    await show(context, options, place, await store.objects.delete(place.bucket, place.key, { signal, ...version }))
  })
}

/** Shows the results in the order of the keys. */
async function removeBeneath(
  context: CliContext,
  { objects }: ReachedStore,
  { bucket, key: prefix }: S3Uri,
  options: RemoveOptions,
): Promise<void> {
  const { signal } = context
  const inFlight: (() => Promise<void>)[] = []
  for await (const entry of objects.list(bucket, { prefix, signal })) {
    if (entry.kind !== 'object') continue
    const { key } = entry
    const removal = objects.delete(bucket, key, { signal })
    // It is awaited in its turn.
    removal.catch(() => undefined)
    inFlight.push(async () => show(context, options, { bucket, key }, await removal))
    if (inFlight.length === inFlightMax) await inFlight.shift()?.()
  }
  for (const finish of inFlight) await finish()
}

async function show(
  { output }: CliContext,
  { json = false }: RemoveOptions,
  { bucket, key }: S3Uri,
  result: DeleteResult,
): Promise<void> {
  if (json) return output.json({ kind: 'deleted', bucket, key, ...result })
  await output.line(`${printable(s3Uri(bucket, key))}  ${textOf(result)}`)
}

function textOf({ versionId, deleteMarker }: DeleteResult): string {
  if (versionId === undefined) return 'deleted'
  return deleteMarker ? `deleted, marker ${versionId}` : `removed version ${versionId}`
}
