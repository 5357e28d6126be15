/** The sources of `varve import`: an archive, a directory, and a bucket of a server. */
import type { LayoutName } from '@varve/adapters'
import type { Seq } from '@varve/core'
import type { LeftOut } from '../../archives/folder-entries.ts'
import { importArchive, importFolder, importS3, importStore } from '../../archives/archives.ts'
import type { ArchiveImported } from '../../archives/import-archive.ts'
import type { ImportCounts, ImportProgress, OnConflict } from '../../archives/import-entry.ts'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from '../support/context.ts'
import type { ReachingOptions } from '../support/endpoint-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { assertWholeMoment, noteMoment, positionBefore } from '../support/moment-option.ts'
import { ownerIn, type OwnerOptions } from '../support/owner-option.ts'
import { printable } from '../support/printable.ts'
import { stageLabels } from '../support/progress.ts'
import { parseBucketUri, parseS3Uri, s3Uri } from '../support/s3-uri.ts'

export interface ImportCommandOptions extends ReachingOptions, OwnerOptions {
  readonly from?: URL
  readonly newestOnly?: boolean
  readonly at?: Seq | Date
  readonly onConflict: OnConflict
  readonly withAccess?: boolean
  readonly verify: boolean
  readonly keyring?: string
  readonly layout?: LayoutName
}

interface Import {
  readonly context: CliContext
  readonly store: ReachedStore
  readonly path: string
  readonly uri: string | undefined
}

export async function importOfArchive(
  { context, store, path, uri }: Import,
  options: ImportCommandOptions,
): Promise<void> {
  const { output, progress, signal } = context
  const { at, onConflict, withAccess = false, verify, json = false } = options
  const imported = await importArchive(store, path === '-' ? context.input() : path, {
    ...(uri !== undefined && { bucket: parseBucketUri(uri) }),
    onConflict,
    withAccess,
    verify,
    ...(at !== undefined && { at }),
    ...(await ownerIn(context, store, options)),
    signal,
    onProgress: (how) => progress.count('Importing', underway(how)),
  })
  progress.clear()
  if (imported.absent > 0) context.note(`${imported.absent} versions have no bytes in the archive, and were left out.`)
  await (json ? output.json({ kind: 'imported', file: path, ...imported }) : output.line(summary(imported)))
}

export async function importOfFolder(
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
    ...(await ownerIn(context, store, options)),
    signal,
    onProgress: (how) => progress.count('Importing', underway(how)),
  })
  progress.clear()
  for (const file of imported.leftOutFiles)
    context.note(`Left out ${printable(file.path)}: ${leftOutText[file.reason]}.`)
  const unnamed = imported.leftOut - imported.leftOutFiles.length
  if (unnamed > 0) context.note(`Left out ${unnamed} others.`)
  await (json ? output.json({ kind: 'imported', dir: path, ...imported }) : output.line(summary(imported)))
  if (imported.leftOut > 0) context.finish(exitCodes.failed)
}

export async function importOfServer(
  { context, store, path, uri }: Import,
  options: ImportCommandOptions,
): Promise<void> {
  const { output, progress, signal } = context
  const { from, newestOnly = false, onConflict, json = false } = options
  const { bucket: source, key: prefix } = parseS3Uri(path)
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env
  const endpoint = { ...(from && { endpoint: from.origin }), region: AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1' }
  const imported = await importS3(
    store,
    { bucket: source, ...endpoint },
    {
      bucket: uri === undefined ? source : parseBucketUri(uri),
      prefix,
      history: !newestOnly,
      onConflict,
      ...(await ownerIn(context, store, options)),
      signal,
      onProgress: (how) => progress.count('Importing', underway(how)),
    },
  )
  progress.clear()
  await (json ? output.json({ kind: 'imported', from: path, ...imported }) : output.line(summary(imported)))
}

export async function importOfStore(
  context: CliContext,
  path: string,
  dir: string,
  { from, newestOnly, withAccess, owner, keyring, endpoint, at, layout, verify, json = false }: ImportCommandOptions,
): Promise<void> {
  if ([from, newestOnly, withAccess, owner, keyring, endpoint].some((option) => option !== undefined)) {
    throw new UsageError(
      'A whole store goes into a new directory as it was: only --at, --layout and --no-verify can be added.',
    )
  }
  const { output, progress, signal } = context
  assertWholeMoment(at)
  if (path === '-') throw new UsageError('The archive of a store is read several times: name a file.')
  const imported = await importStore(path, dir, {
    ...(at !== undefined && { at }),
    ...(layout !== undefined && { layout }),
    verify,
    signal,
    onProgress: ({ stage, ...how }) => progress.show(stageLabels[stage], how),
  }).finally(() => progress.clear())
  noteMoment(context, at, positionBefore(imported))
  if (imported.lost > 0) context.finish(exitCodes.diverged)
  if (json) return output.json({ kind: 'imported', file: path, ...imported })
  const { events, blobs, bytes, head, lost } = imported
  const erased = Math.max(0, imported.absent - lost)
  await output.line(
    `Imported ${events} events, ${blobs} blobs and ${bytes} bytes to ${printable(dir)}. The store ends with event ${head}.`,
  )
  if (erased > 0)
    await output.line(
      `${erased} blobs are not in the archive: they were erased before it was made, or no version ever had them.`,
    )
  if (lost > 0)
    await output.line(
      `${lost} contents are lost: the archive does not have them, and no event says that they were erased. verify shows them.`,
    )
}

const leftOutText: Readonly<Record<LeftOut, string>> = {
  link: 'it is a link, and links are not followed',
  special: 'it is no file',
  store: 'it is a store, whose buckets can be exported',
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

/** How far an import is, of what it has to do. */
function underway({ done, total }: ImportProgress): string {
  const of = (part: keyof typeof done): string =>
    total === undefined ? `${done[part]} ${part}` : `${done[part]} of ${total[part]} ${part}`
  return `${of('objects')}, ${of('bytes')}`
}
