/** `varve rm`: deletes objects, or one version. */
import { type DeleteOutcome, type DeleteResult, isStorageError, StorageError } from '@varve/core'
import type { Command } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { shellWord } from '../support/shell-word.ts'
import { parseObjectUri, parseS3Uri, type S3Uri, s3Uri } from '../support/s3-uri.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { commandOn } from '../support/program-name.ts'

interface RemoveOptions extends ReachingOptions {
  readonly versionId?: string
  readonly recursive?: boolean
}

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
    await assertThere(context, store, place, options)
    const given = { signal: context.signal, ...(versionId !== undefined && { versionId }) }
    await show(context, options, place, await store.objects.delete(place.bucket, place.key, given))
  })
}

/** S3 answers a deletion of nothing like any other. A person is told, and with versioning no marker is added. @throws StorageError `NoSuchKey` */
async function assertThere(
  { signal }: CliContext,
  { objects }: ReachedStore,
  { bucket, key }: S3Uri,
  options: RemoveOptions,
): Promise<void> {
  const { versionId } = options
  try {
    await objects.head(bucket, key, { signal, ...(versionId !== undefined && { versionId }) })
  } catch (error) {
    // A delete marker has no facts, and can be removed.
    if (isStorageError(error, 'MethodNotAllowed')) return
    if (!isStorageError(error, 'NoSuchKey')) throw error
    const isPrefix = await isBeginning(objects.list(bucket, { prefix: key, signal }))
    const hint = isPrefix
      ? `Keys begin with it. Delete them with \`${commandOn(`rm --recursive ${shellWord(s3Uri(bucket, key))}`, options)}\`.`
      : `List the keys with \`${commandOn(`ls ${shellWord(s3Uri(bucket, ''))}`, options)}\`.`
    throw new StorageError('NoSuchKey', `There is no object ${s3Uri(bucket, key)}, so nothing was deleted.`, {
      details: { ...error.details },
      hint,
    })
  }
}

async function isBeginning(listing: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _entry of listing) return true
  return false
}

/** Under one request id, so that one command takes it back. */
async function removeBeneath(
  context: CliContext,
  store: ReachedStore,
  { bucket, key: prefix }: S3Uri,
  options: RemoveOptions,
): Promise<void> {
  const { output, signal } = context
  const { json = false } = options
  const onOutcome = (outcome: DeleteOutcome): Promise<void> => showOutcome(context, options, bucket, outcome)
  const { id, deleted, refused } = await store.deletePrefix(bucket, prefix, { signal, onOutcome })
  if (json) await output.json({ kind: 'removal', bucket, prefix, id, deleted, refused })
  if (deleted + refused === 0) context.note(`There is nothing beneath ${printable(s3Uri(bucket, prefix))}.`)
  else if (deleted > 0 && !json)
    await output.line(`Deleted ${objects(deleted)}. Undo this with: ${commandOn(`undo --request ${id}`, options)}`)
  if (refused > 0) context.note(`${objects(refused)} could not be deleted, because they are locked.`)
  if (deleted === 0 || refused > 0) context.finish(exitCodes.failed)
}

const objects = (count: number): string => (count === 1 ? '1 object' : `${count} objects`)

async function showOutcome(
  context: CliContext,
  options: RemoveOptions,
  bucket: string,
  outcome: DeleteOutcome,
): Promise<void> {
  const { key } = outcome
  if (!('error' in outcome)) return show(context, options, { bucket, key }, outcome.result)
  const { code, message } = isStorageError(outcome.error)
    ? outcome.error
    : { code: 'Error', message: String(outcome.error) }
  if (options.json === true) return context.output.json({ kind: 'refused', bucket, key, error: { code, message } })
  await context.output.line(`${printable(s3Uri(bucket, key))}  not deleted: ${printable(message)} (${code})`)
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
