/** `varve checkpoint`, `prove` and `log-key`: the signed head of the log, and proofs of what it has. */
import type { Seq } from '@varve/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import { askWitness } from '../../proofs/ask-witness.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { parseSeq, parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'
import { readTextFile } from '../support/read-text-file.ts'
import { parseObjectUri } from '../support/s3-uri.ts'
import { writeTextFile } from '../support/written-file.ts'
import { keyText } from './check-proof-command.ts'

interface OutOption {
  readonly out?: string
}

interface ProveOptions extends ReachingOptions, OutOption {
  readonly versionId?: string
  readonly seq?: Seq
  readonly erasure?: readonly Seq[]
  /** The path of a file. */
  readonly checkpoint?: string
}

interface CheckpointOptions extends ReachingOptions, OutOption {
  readonly consistentWith?: number
  readonly witness?: URL
  readonly witnessKey?: string
}

interface KeyOptions extends ReachingOptions {
  readonly renew?: boolean
  readonly origin?: string
}

const outOption = (): Option => new Option('--out <file>', 'write it to this file (default: to the output)')

export function proveCommand(context: CliContext): Command {
  return reachingCommand(
    'prove',
    'make a proof that the log has a version or an event, which anyone with its key can check',
  )
    .argument('[s3-uri]', 's3://bucket/key; none with --seq and --erasure')
    .addOption(
      new Option('--version-id <id>', 'this version, also one that was removed or erased').argParser(parseText),
    )
    .addOption(
      new Option('--seq <seq>', 'the event at this position, such as that of a write with a receipt')
        .argParser(parseSeq)
        .conflicts('versionId'),
    )
    .addOption(
      new Option('--erasure <seq...>', 'the receipt of an erasure, by the positions of its ErasureRequested')
        .argParser((seq: string, before: readonly Seq[] | undefined) => [...(before ?? []), parseSeq(seq)])
        .conflicts(['seq', 'versionId', 'checkpoint']),
    )
    .addOption(
      new Option(
        '--checkpoint <file>',
        'by this checkpoint, such as one that witnesses have signed (default: a new one)',
      ),
    )
    .addOption(outOption())
    .action((uri: string | undefined, options: ProveOptions) => runProve(context, uri, options))
}

async function runProve(
  context: CliContext,
  uri: string | undefined,
  { versionId, seq: wanted, erasure, checkpoint: file, out, ...options }: ProveOptions,
): Promise<void> {
  if (erasure !== undefined) return runErasure(context, uri, { ...options, erasure, ...(out !== undefined && { out }) })
  const prove = provenBy(uri, { seq: wanted, versionId })
  const checkpoint = file === undefined ? {} : { checkpoint: await readTextFile(file) }
  await withStore(context, options, async (store) => {
    const { seq, text } = await prove(store, checkpoint)
    if (options.json === true) await context.output.json({ kind: 'proof', seq, text })
    await give(context, options, { text, out, summary: `The event at position ${seq} is proven by` })
  })
}

async function runErasure(
  context: CliContext,
  uri: string | undefined,
  { erasure, out, ...options }: ReachingOptions & OutOption & { readonly erasure: readonly Seq[] },
): Promise<void> {
  if (uri !== undefined) throw new UsageError('--erasure names events, and no object.')
  await withStore(context, options, async ({ proofs }) => {
    const { text, versions, uploads, pending } = await proofs.erasure(erasure)
    if (options.json === true) await context.output.json({ kind: 'erasure', versions, uploads, pending, text })
    const erased = uploads === 0 ? `${versions} versions` : `${versions} versions and ${uploads} uploads`
    await give(context, options, { text, out, summary: `The erasure of ${erased} is proven by` })
    if (pending > 0)
      context.note(`The bytes of ${pending} versions${uploads === 0 ? '' : ' or uploads'} wait for reads in progress.`)
  })
}

/** @throws UsageError */
function provenBy(uri: string | undefined, { seq, versionId }: Pick<ProveOptions, 'seq' | 'versionId'>) {
  if ((uri === undefined) === (seq === undefined))
    throw new UsageError('What is to be proven?', { hint: 'Name an object, or an event with `--seq` or `--erasure`.' })
  const version =
    uri === undefined ? undefined : { ...parseObjectUri(uri), ...(versionId !== undefined && { versionId }) }
  return ({ proofs }: ReachedStore, checkpoint: { readonly checkpoint?: string }) =>
    version === undefined ? proofs.proveEvent(seq ?? 0, checkpoint) : proofs.prove({ ...version, ...checkpoint })
}

export function checkpointCommand(context: CliContext): Command {
  return reachingCommand('checkpoint', 'sign the head of the log, and show it')
    .addOption(
      new Option('--consistent-with <size>', 'prove that the log begins with what it was when it had so many events')
        .argParser(parseSize)
        .conflicts('witness'),
    )
    .addOption(
      new Option('--witness <url>', 'have this witness sign it too (C2SP tlog-witness)').argParser(parseWitness),
    )
    .addOption(new Option('--witness-key <key>', 'the public key of the witness, or @file'))
    .addOption(outOption())
    .action((options: CheckpointOptions) => runCheckpoint(context, options))
}

async function runCheckpoint(context: CliContext, options: CheckpointOptions): Promise<void> {
  const { consistentWith, witness, witnessKey, out } = options
  if ((witness === undefined) !== (witnessKey === undefined)) {
    throw new UsageError('--witness and --witness-key belong together.')
  }
  const key = witnessKey === undefined ? undefined : await keyText(witnessKey)
  await withStore(context, options, async (store) => {
    if (consistentWith !== undefined) return showConsistency(context, store, consistentWith, options)
    const checkpoint =
      witness === undefined || key === undefined
        ? await store.proofs.checkpoint()
        : await askWitness(store.proofs, { url: witness, key }, context.signal)
    if (options.json === true) return context.output.json({ kind: 'checkpoint', ...checkpoint })
    await give(context, options, {
      text: checkpoint.text,
      out,
      summary: `The log of ${checkpoint.size} events is signed in`,
    })
  })
}

async function showConsistency(
  context: CliContext,
  store: ReachedStore,
  earlier: number,
  options: CheckpointOptions,
): Promise<void> {
  const { text, size } = await store.proofs.consistency(earlier)
  if (options.json === true) return context.output.json({ kind: 'consistency', earlier, size, text })
  const summary = `That the log of ${size} events begins with its first ${earlier} is proven by`
  await give(context, options, { text, out: options.out, summary })
}

export function logKeyCommand(context: CliContext): Command {
  return reachingCommand('log-key', 'show the name of the log, and the public key of its checkpoints')
    .addOption(
      new Option(
        '--renew',
        'make another key, and another name: for a log that is no longer what was signed',
      ).conflicts('endpoint'),
    )
    .addOption(new Option('--origin <name>', 'with --renew: the name, such as example.com/log').argParser(parseText))
    .action((options: KeyOptions) => runKey(context, options))
}

async function runKey(context: CliContext, { renew = false, origin, ...options }: KeyOptions): Promise<void> {
  if (origin !== undefined && !renew) throw new UsageError('--origin belongs to --renew.')
  await withStore(context, options, async ({ proofs }) => {
    const key = renew ? await proofs.renewKey(origin === undefined ? {} : { origin }) : await proofs.key()
    await (options.json === true ? context.output.json({ kind: 'log-key', ...key }) : context.output.line(key.key))
  })
}

interface Given extends OutOption {
  readonly text: string
  readonly summary: string
}

async function give({ output }: CliContext, { json = false }: ReachingOptions, given: Given): Promise<void> {
  const { text, out, summary } = given
  if (out !== undefined) await writeTextFile(out, text)
  if (json) return
  if (out === undefined) await output.write(Buffer.from(text))
  else await output.line(`${summary} ${printable(out)}.`)
}

function parseSize(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is the number of events of an earlier checkpoint.')
}

function parseWitness(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  throw new InvalidArgumentError('It is a URL such as https://witness.example.')
}
