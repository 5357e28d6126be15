/** `varve verify`: does everything still agree? Looks without opening, and changes nothing. */
import { type Divergence, isLeftover, type Tip, type VerifyReport } from '@varve/core'
import { type Command, Option } from 'commander'
import { verifyStore } from '../verify-store.ts'
import type { CliContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import { parseText, parseTip } from './parse-values.ts'
import { printable } from './printable.ts'
import { explained, type StoreCommandOptions, storeCommand } from './store-command.ts'

export interface VerifyCommandOptions extends StoreCommandOptions {
  readonly blobs: 'read' | 'present' | 'skip'
  readonly tip?: Tip
  readonly scratch?: string
}

const stages = { log: 'Checking the log', views: 'Comparing the views', blobs: 'Reading the blobs' } as const

export function verifyCommand(context: CliContext): Command {
  const command = storeCommand('verify', 'check log, views and blobs against each other')
  for (const option of ownOptions()) command.addOption(option)
  return command.action((options: VerifyCommandOptions) => runVerify(context, options))
}

function ownOptions(): Option[] {
  return [
    new Option('--blobs <how>', 'read every byte, see that each blob is present, or skip them')
      .choices(['read', 'present', 'skip'])
      .default('read'),
    new Option('--tip <seq:hash>', 'an end of the log remembered elsewhere, which it must still hold').argParser(
      parseTip,
    ),
    new Option('--scratch <dir>', 'where temporary files go (default: in the store)').argParser(parseText),
  ]
}

async function runVerify(context: CliContext, options: VerifyCommandOptions): Promise<void> {
  const { output, progress } = context
  const { dir, json = false } = options
  const report = await verifyStore(dir, lookingOptions(context, options))
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  const verdict = judge(report)
  for (const found of report.divergences) await (json ? output.json(asJson(found)) : output.line(asLine(found)))
  await (json ? output.json({ kind: 'report', ...verdict }) : output.line(summary(verdict)))
  if (!verdict.ok) context.finish(exitCodes.diverged)
}

export function lookingOptions({ progress, signal }: CliContext, { blobs, tip, scratch }: VerifyCommandOptions) {
  return {
    blobs,
    signal,
    ...(tip && { tip }),
    ...(scratch !== undefined && { scratchDir: scratch }),
    onProgress: ({ stage, done, total }: { stage: keyof typeof stages; done: number; total: number }) =>
      progress.show(stages[stage], { done, total }),
  }
}

interface Verdict extends Pick<VerifyReport, 'ok' | 'events' | 'rows' | 'blobs' | 'bytes' | 'tip'> {
  readonly divergences: number
  readonly leftovers: number
}

/** What a crash leaves behind by design, and the next owner sweeps: nothing is wrong. */
export function judge({ divergences, found, events, rows, blobs, bytes, tip }: VerifyReport): Verdict {
  const leftovers = divergences.filter(isLeftover).length
  const wrong = found - leftovers
  return { ok: wrong === 0, events, rows, blobs, bytes, divergences: wrong, leftovers, ...(tip && { tip }) }
}

export const asJson = ({ kind, ...rest }: Divergence) => ({
  kind: isLeftover({ kind }) ? 'leftover' : 'divergence',
  code: kind,
  ...rest,
})

export function asLine({ kind, message, seq, key, table, of }: Divergence): string {
  const { bucket, key: objectKey, versionId, uploadId, partNumber } = of ?? {}
  const places = [
    bucket === undefined ? undefined : `s3://${bucket}${objectKey === undefined ? '' : `/${objectKey}`}`,
    versionId && `version ${versionId}`,
    uploadId && `upload ${uploadId}`,
    partNumber === undefined ? undefined : `part ${partNumber}`,
    seq === undefined ? undefined : `event ${seq}`,
    table && `table ${table}`,
    key,
  ]
  const place = places.filter((part) => part !== undefined && part !== '').join(', ')
  return printable(`${kind}: ${message}${place === '' ? '' : ` (${place})`}`)
}

export function summary({ ok, events, rows, blobs, bytes, divergences, leftovers }: Verdict): string {
  const looked = `${events} events, ${rows} rows, ${blobs} blobs, ${bytes} bytes`
  const found = ok ? 'everything agrees' : `${divergences} divergences`
  const swept = leftovers === 0 ? '' : `; ${leftovers} leftovers of interrupted writes, which the next owner sweeps`
  return `${looked}: ${found}${swept}.`
}
