/** `varve check-proof`: checks a proof or a checkpoint of a log, without a store. */
import {
  type CheckedCheckpoint,
  isConsistencyProof,
  isErasureReceipt,
  isInclusionProof,
  type ProvenErasedUpload,
  type ProvenErasedVersion,
} from '@varve/core'
import { Command, Option } from 'commander'
import { checkCheckpoint, checkErasureReceipt, checkLogConsistency, checkProof } from '../../proofs/proofs.ts'
import { file } from '../../bodies/file.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { printable } from '../support/printable.ts'
import { s3Uri } from '../support/s3-uri.ts'
import { readTextFile } from '../support/read-text-file.ts'
import { describeEvent } from './describe-event.ts'

interface CheckOptions {
  readonly key: string
  readonly witnessKey: readonly string[]
  readonly content?: string
  readonly since?: string
  readonly json?: boolean
}

export function checkProofCommand(context: CliContext): Command {
  return new Command('check-proof')
    .description('check a proof of varve prove, a receipt or a checkpoint, without a store')
    .argument('<file>', 'the proof, the receipt or the checkpoint; also as JSON of --json or the control API')
    .addOption(
      new Option('--key <key>', 'the public key of the log, as varve log-key shows it, or @file').makeOptionMandatory(),
    )
    .addOption(
      new Option('--witness-key <key>', 'a witness that must have signed too, or @file; can be repeated')
        .default([], 'none')
        .argParser((value: string, before: readonly string[]) => [...before, value]),
    )
    .option('--content <file>', 'also check that these are the bytes that the event names')
    .option('--since <file>', 'the earlier checkpoint, for a proof of varve checkpoint --consistent-with')
    .option('--json', 'print JSON')
    .action((path: string, options: CheckOptions) => runCheck(context, path, options))
}

/** A key, or the file that has it. */
export const keyText = async (given: string): Promise<string> =>
  given.startsWith('@') ? (await readTextFile(given.slice(1))).trim() : given

/** The control API and `--json` give a proof in the field `text` of JSON. Other texts are proofs themselves. */
function proofText(given: string): string {
  if (!given.trimStart().startsWith('{')) return given
  try {
    const { text } = JSON.parse(given) as { readonly text?: unknown }
    return typeof text === 'string' ? text : given
  } catch {
    return given
  }
}

async function runCheck(context: CliContext, path: string, options: CheckOptions): Promise<void> {
  const text = proofText(await readTextFile(path))
  const keys = { key: await keyText(options.key), witnesses: await Promise.all(options.witnessKey.map(keyText)) }
  const isOfVersion = isInclusionProof(text)
  if (options.content !== undefined && !isOfVersion) throw new UsageError('--content is for a proof of varve prove.')
  if (isErasureReceipt(text)) return checkErasure(context, text, { ...options, keys })
  if (isOfVersion) return checkVersion(context, text, { ...options, keys })
  if (isConsistencyProof(text)) return checkGrowth(context, text, { ...options, keys })
  const checkpoint = await checkCheckpoint(text, keys)
  await show(context, options, { ...checkpoint }, [headOf(checkpoint)])
}

interface Checking extends CheckOptions {
  readonly keys: { readonly key: string; readonly witnesses: readonly string[] }
}

async function checkVersion(context: CliContext, text: string, { keys, content, ...options }: Checking): Promise<void> {
  const proof = await checkProof(text, keys, content === undefined ? undefined : file(content))
  const { event, seq, content: checked } = proof
  const lines = [
    headOf(proof),
    `Position ${seq}: ${describeEvent(event)}`,
    ...(checked === undefined
      ? []
      : [
          `The content is that of the event: ${checked.size} bytes, by their ${checked.algorithm}${checked.isCollisionResistant ? '' : ', which does not exclude other bytes made on purpose'}.`,
        ]),
  ]
  await show(context, options, { ...proof }, lines)
}

async function checkErasure({ output }: CliContext, text: string, { keys, json = false }: Checking): Promise<void> {
  const receipt = await checkErasureReceipt(text, keys)
  if (json) return output.json({ kind: 'checked', ...receipt })
  await output.line(headOf(receipt))
  const erased =
    receipt.uploads.length === 0 ? 'versions' : receipt.versions.length === 0 ? 'uploads' : 'versions or uploads'
  for (const { seq, at, by, bucket } of receipt.requests) {
    await output.line(
      `Position ${seq}: ${printable(by.name)} had ${erased} of ${printable(bucket)} erased, ${at.toISOString()}.`,
    )
  }
  for (const version of receipt.versions) await output.line(describeErased(version))
  for (const upload of receipt.uploads) await output.line(describeUpload(upload))
  await output.line(
    'The store has stated this in its log. It does not prove that there are no copies elsewhere, such as backups,',
  )
  await output.line('replicas and archives. Names, sizes, digests and metadata stay in the log.')
}

function describeErased({ bucket, key, versionId, seq, size, encrypted, erased }: ProvenErasedVersion): string {
  const gone =
    erased && `the bytes${encrypted ? ' and their data keys' : ''} were dropped at ${erased.at.toISOString()}`
  const name = printable(s3Uri(bucket, key))
  return `${name}  version ${versionId} of event ${seq}  ${size} bytes  ${gone ?? 'the bytes wait for reads in progress'}`
}

function describeUpload({ bucket, key, seq, aborted, erased }: ProvenErasedUpload): string {
  const gone = erased && `the bytes were dropped at ${erased.at.toISOString()}`
  const what = aborted ? `upload of event ${seq}` : `parts of the upload of event ${seq} that its object does not have`
  return `${printable(s3Uri(bucket, key))}  ${what}  ${gone ?? 'the bytes wait for reads in progress'}`
}

async function checkGrowth(context: CliContext, text: string, { keys, since, ...options }: Checking): Promise<void> {
  if (since === undefined) throw new UsageError('A proof of consistency needs --since, the earlier checkpoint.')
  const checked = await checkLogConsistency({ proof: text, earlier: proofText(await readTextFile(since)) }, keys)
  await show(context, options, { ...checked }, [
    headOf(checked),
    `It begins with the ${checked.earlier} events of the earlier checkpoint.`,
  ])
}

function headOf({ origin, size, cosignatures }: CheckedCheckpoint): string {
  const by = cosignatures.map(({ witness, at }) => ` and by ${printable(witness)} at ${at.toISOString()}`).join('')
  return `The log ${printable(origin)} had ${size} events, signed by its key${by}.`
}

async function show(
  { output }: CliContext,
  { json = false }: Pick<CheckOptions, 'json'>,
  value: object,
  lines: readonly string[],
): Promise<void> {
  if (json) return output.json({ kind: 'checked', ...value })
  for (const line of lines) await output.line(line)
}
