/** `varve erase`: erases the bytes of chosen versions, whatever the retention says. */
import { type EraseEntry, type EraseRequest, type EraseResult, type RefusedEraseEntry, StorageError } from '@varve/core'
import { type Command, Option } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { parseObjectUri, parseS3Uri, s3Uri } from '../support/s3-uri.ts'
import { ReservedFile } from '../support/written-file.ts'

interface EraseOptions extends ReachingOptions {
  readonly versionId?: readonly string[]
  readonly allVersions?: boolean
  readonly recursive?: boolean
  readonly live?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
  /** The path of a file. */
  readonly receipt?: string
}

export function eraseCommand(context: CliContext): Command {
  return reachingCommand('erase', 'erase the bytes of removed versions at once, which cannot be undone')
    .argument('<s3-uri>', 's3://bucket/key; with --recursive, s3://bucket or s3://bucket/prefix')
    .option('--version-id <id...>', 'these versions of the key', (id: string, all: readonly string[] | undefined) => [
      ...(all ?? []),
      parseText(id),
    ])
    .addOption(new Option('--all-versions', 'all versions of the key').conflicts('versionId'))
    .addOption(new Option('-r, --recursive', 'all versions of every key beneath').conflicts('versionId'))
    .option('--live', 'also versions that exist: they are removed first')
    .option('-y, --yes', 'erase them')
    .addOption(new Option('--dry-run', 'only show what would be erased').conflicts('yes'))
    .addOption(
      new Option(
        '--receipt <file>',
        'write a receipt to this new file, for check-proof: which versions were erased, and when',
      )
        .argParser(parseText)
        .conflicts('dryRun'),
    )
    .action((uri: string, options: EraseOptions) => runErase(context, uri, options))
}

async function runErase(context: CliContext, uri: string, options: EraseOptions): Promise<void> {
  const { yes = false, dryRun = false, json = false, live = false, receipt: file } = options
  const { signal } = context
  if (!yes && !dryRun) throw new UsageError('Nothing brings erased bytes back: add --yes or --dry-run.')
  const receipt = file !== undefined
  const request = { ...placeOf(uri, options), live, dryRun, receipt, signal }
  await withStore(context, options, async (store) => {
    const result =
      file === undefined
        ? await store.erase(request)
        : await eraseWithReceipt(context, file, () => store.erase(request))
    await (json ? showJson(context, request.bucket, result) : show(context, request, result))
    const isNamed = request.versions !== undefined
    if (isNothing(result)) {
      context.note(`There are no versions with bytes at ${printable(uri)}, and there were none.`)
      context.finish(exitCodes.failed)
    }
    if (result.refused.some(({ reason }) => isNamed || reason !== 'live')) context.finish(exitCodes.failed)
  })
}

/** A mistyped prefix must not pass for an erased secret. */
const isNothing = ({ entries, refused, erasedBefore }: EraseResult): boolean =>
  entries.length === 0 && refused.length === 0 && erasedBefore === 0

function placeOf(
  uri: string,
  { versionId, allVersions = false, recursive = false }: EraseOptions,
): Pick<EraseRequest, 'bucket' | 'key' | 'prefix' | 'versions'> {
  if (recursive) {
    const { bucket, key: prefix } = parseS3Uri(uri)
    return { bucket, prefix }
  }
  if (versionId === undefined && !allVersions) throw new UsageError('Add --version-id, --all-versions or --recursive.')
  return { ...parseObjectUri(uri), ...(versionId && { versions: versionId }) }
}

/** Nothing is erased before there is a file for the receipt. */
async function eraseWithReceipt(
  context: CliContext,
  path: string,
  erase: () => Promise<EraseResult>,
): Promise<EraseResult> {
  const file = await ReservedFile.create(path)
  let isWritten = false
  try {
    const result = await erase()
    isWritten = await keepReceipt(context, file, result)
    return result
  } finally {
    if (!isWritten) await file.remove()
  }
}

/** Resolves with whether there is a receipt. */
async function keepReceipt(
  context: CliContext,
  file: ReservedFile,
  { receipt, requests, pending }: EraseResult,
): Promise<boolean> {
  if (receipt === undefined) {
    context.note('Nothing was erased, so there is no receipt.')
    return false
  }
  const again = `varve prove --erasure ${requests.join(' ')}`
  await file.write(receipt).catch((cause: unknown) => {
    throw receiptUnwritten(file.path, again, cause)
  })
  if (pending > 0)
    context.note(`The receipt names bytes that wait for reads in progress. Make it again when they are gone: ${again}`)
  return true
}

function receiptUnwritten(path: string, again: string, cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The bytes are erased, and the receipt could not be written to ${path}: ${reason}. Make it again: ${again}`
  return new StorageError('ReceiptFailed', message, { cause })
}

async function showJson({ output }: CliContext, bucket: string, result: EraseResult): Promise<void> {
  const { entries, refused, ...counts } = result
  for (const entry of entries) await output.json({ kind: 'erased', bucket, ...entry })
  for (const entry of refused) await output.json({ kind: 'refused', bucket, ...entry })
  await output.json({ kind: 'result', ...counts })
}

async function show(
  { output }: CliContext,
  { bucket, dryRun }: Pick<EraseRequest, 'bucket' | 'dryRun'>,
  { entries, refused, erasedBefore, pending }: EraseResult,
): Promise<void> {
  for (const entry of entries) await output.change(`- ${describeEntry(bucket, entry)}`)
  for (const entry of refused) await output.change(`! ${describeEntry(bucket, entry)}  stays: ${reasonOf(entry)}`)
  const counts = [
    `${entries.length} ${dryRun === true ? 'to erase' : 'erased'}`,
    `${refused.length} stay`,
    ...(erasedBefore === 0 ? [] : [`${erasedBefore} erased before`]),
    ...(pending === 0 ? [] : [`${pending} wait for reads in progress`]),
  ]
  await output.line(`Versions: ${counts.join(', ')}.`)
}

const describeEntry = (bucket: string, { key, versionId, seq, size, live }: EraseEntry): string =>
  [
    printable(s3Uri(bucket, key)),
    `version ${versionId} of event ${seq}`,
    `${size} bytes`,
    ...(live ? ['exists'] : []),
  ].join('  ')

const reasons = {
  live: 'it exists (--live removes it)',
  fork: 'a fork of the bucket keeps the bytes',
  copy: 'a version that exists shares the bytes',
  retention: 'a retention of Object Lock protects it',
  legalHold: 'a legal hold protects it',
  changed: 'it was changed meanwhile',
} as const

const reasonOf = ({ reason, snapshots = [] }: RefusedEraseEntry): string =>
  reason === 'snapshot' ? `kept by ${snapshots.join(', ')}` : reasons[reason]
