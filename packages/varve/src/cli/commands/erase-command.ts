/** `varve erase`: erases the bytes of chosen versions and uploads, whatever the retention says. */
import {
  type EraseEntry,
  type EraseRequest,
  type EraseResult,
  type EraseUploadEntry,
  type EraseVersionEntry,
  type RefusedEraseEntry,
  StorageError,
} from '@varve/core'
import { type Command, Option } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { commandOn } from '../support/program-name.ts'
import { withStore } from '../support/reach-store.ts'
import { parseObjectUri, parseS3Uri, s3Uri } from '../support/s3-uri.ts'
import { ReservedFile } from '../support/written-file.ts'

interface EraseOptions extends ReachingOptions {
  readonly versionId?: readonly string[]
  readonly allVersions?: boolean
  readonly recursive?: boolean
  readonly uploads?: boolean
  readonly uploadId?: readonly string[]
  readonly live?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
  /** The path of a file. */
  readonly receipt?: string
}

type Place = Pick<EraseRequest, 'bucket' | 'key' | 'prefix' | 'versions'> & Required<Pick<EraseRequest, 'uploads'>>

export function eraseCommand(context: CliContext): Command {
  return reachingCommand('erase', 'erase the bytes of removed versions and of uploads at once, which cannot be undone')
    .argument('<s3-uri>', 's3://bucket/key; with --recursive, s3://bucket or s3://bucket/prefix')
    .option('--version-id <id...>', 'these versions of the key', parseMore)
    .addOption(new Option('--all-versions', 'all versions of the key').conflicts('versionId'))
    .addOption(new Option('-r, --recursive', 'all versions of every key beneath').conflicts('versionId'))
    .option(
      '--uploads',
      'uploads, which are aborted if they are in progress: in place of versions, or beside --all-versions or --version-id',
    )
    .addOption(
      new Option('--upload-id <id...>', 'as --uploads, but only these uploads of the key')
        .argParser(parseMore)
        .conflicts(['uploads', 'recursive']),
    )
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

const parseMore = (id: string, all: readonly string[] | undefined): readonly string[] => [...(all ?? []), parseText(id)]

async function runErase(context: CliContext, uri: string, options: EraseOptions): Promise<void> {
  const { yes = false, dryRun = false, json = false, live = false, receipt: file } = options
  const { signal } = context
  if (!yes && !dryRun)
    throw new UsageError('Nothing brings erased bytes back.', { hint: 'Add `--yes` or `--dry-run`.' })
  const receipt = file !== undefined
  const request = { ...placeOf(uri, options), live, dryRun, receipt, signal }
  await withStore(context, options, async (store) => {
    const result =
      file === undefined
        ? await store.erase(request)
        : await eraseWithReceipt(context, { file, place: options }, () => store.erase(request))
    await (json ? showJson(context, request.bucket, result) : show(context, request, result))
    const isNamed = options.versionId !== undefined
    if (isNothing(result)) {
      const what = kindsOf(request).join(' or ')
      context.note(`There are no ${what} with bytes at ${printable(uri)}, and there were none.`)
      context.finish(exitCodes.failed)
    }
    if (result.refused.some(({ reason }) => isNamed || reason !== 'live')) context.finish(exitCodes.failed)
  })
}

/** A mistyped prefix must not pass for an erased secret. */
const isNothing = ({ entries, refused, erasedBefore }: EraseResult): boolean =>
  entries.length === 0 && refused.length === 0 && erasedBefore === 0

function placeOf(uri: string, options: EraseOptions): Place {
  const { versionId, recursive = false, uploadId } = options
  const takesVersions = versionId !== undefined || options.allVersions === true
  const uploads = uploadId ?? options.uploads ?? false
  if (recursive) {
    const { bucket, key: prefix } = parseS3Uri(uri)
    return { bucket, prefix, uploads: uploads === false || takesVersions ? uploads : 'only' }
  }
  if (!takesVersions && uploads === false)
    throw new UsageError('What is to be erased?', {
      hint: 'Add `--version-id`, `--all-versions`, `--uploads`, `--upload-id` or `--recursive`.',
    })
  const versions = takesVersions ? versionId : []
  return { ...parseObjectUri(uri), uploads, ...(versions && { versions }) }
}

const kindsOf = ({ versions, uploads = false }: Pick<EraseRequest, 'versions' | 'uploads'>): readonly string[] => [
  ...(uploads === 'only' || versions?.length === 0 ? [] : ['versions']),
  ...(uploads === false ? [] : ['uploads']),
]

/** Nothing is erased before there is a file for the receipt. */
async function eraseWithReceipt(
  context: CliContext,
  { file: path, place }: { readonly file: string; readonly place: ReachingOptions },
  erase: () => Promise<EraseResult>,
): Promise<EraseResult> {
  const file = await ReservedFile.create(path)
  let isWritten = false
  try {
    const result = await erase()
    isWritten = await keepReceipt(context, { file, place }, result)
    return result
  } finally {
    if (!isWritten) await file.remove()
  }
}

/** Resolves with whether there is a receipt. */
async function keepReceipt(
  context: CliContext,
  { file, place }: { readonly file: ReservedFile; readonly place: ReachingOptions },
  { receipt, requests, pending, replicas }: EraseResult,
): Promise<boolean> {
  if (receipt === undefined) {
    const why = pending > 0 ? `The bytes wait for ${waitedFor(replicas)}: erase again.` : 'Nothing was erased.'
    context.note(`There is no receipt. ${why}`)
    return false
  }
  const again = commandOn(`prove --erasure ${requests.join(' ')}`, place)
  await file.write(receipt).catch((cause: unknown) => {
    throw receiptUnwritten(file.path, again, cause)
  })
  if (pending > 0)
    context.note(
      `The receipt names bytes that wait for ${waitedFor(replicas)}. Make it again when they are gone: ${again}`,
    )
  return true
}

function receiptUnwritten(path: string, again: string, cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The bytes are erased, and the receipt could not be written to ${path}: ${reason}. Make it again: ${again}`
  return new StorageError('ReceiptFailed', message, { cause })
}

async function showJson({ output }: CliContext, bucket: string, result: EraseResult): Promise<void> {
  const { entries, refused, ...counts } = result
  for (const { kind: _kind, ...entry } of entries) await output.json({ kind: 'erased', bucket, ...entry })
  for (const { kind: _kind, ...entry } of refused) await output.json({ kind: 'refused', bucket, ...entry })
  await output.json({ kind: 'result', ...counts })
}

async function show(
  { output }: CliContext,
  request: Pick<EraseRequest, 'bucket' | 'dryRun' | 'versions' | 'uploads'>,
  { entries, refused, erasedBefore, pending, replicas }: EraseResult,
): Promise<void> {
  const { bucket, dryRun } = request
  for (const entry of entries) await output.change(`- ${describeEntry(bucket, entry)}`)
  for (const entry of refused) await output.change(`! ${describeEntry(bucket, entry)}  stays: ${reasonOf(entry)}`)
  const counts = [
    `${entries.length} ${dryRun === true ? 'to erase' : 'erased'}`,
    `${refused.length} stay`,
    ...(erasedBefore === 0 ? [] : [`${erasedBefore} erased before`]),
    ...(pending === 0 ? [] : [`${pending} wait for ${waitedFor(replicas)}`]),
  ]
  const what = kindsOf(request).join(' and ')
  await output.line(`${what[0]?.toUpperCase()}${what.slice(1)}: ${counts.join(', ')}.`)
}

const waitedFor = (replicas: EraseResult['replicas']): string =>
  replicas === undefined ? 'reads in progress' : `the replica ${replicas.map(printable).join(', ')}`

const describeEntry = (bucket: string, entry: EraseEntry): string =>
  [printable(s3Uri(bucket, entry.key)), ...(entry.kind === 'version' ? versionFacts(entry) : uploadFacts(entry))].join(
    '  ',
  )

const versionFacts = ({ versionId, seq, size, live }: EraseVersionEntry): readonly string[] => [
  `version ${versionId} of event ${seq}`,
  `${size} bytes`,
  ...(live ? ['exists'] : []),
]

const uploadFacts = ({ uploadId, seq, parts, size, inProgress }: EraseUploadEntry): readonly string[] => [
  `upload ${uploadId} of event ${seq}`,
  `${parts} parts, ${size} bytes`,
  ...(inProgress ? ['in progress'] : []),
]

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
