/** The options of a verification on the command line, and the output of its findings. */
import { type Divergence, isLeftover, type Tip, type VerifyReport } from '@varve/core'
import type { CliContext } from '../support/context.ts'
import { printable } from '../support/printable.ts'
import type { ReadingOptions } from '../support/endpoint-option.ts'

export interface VerifyCommandOptions extends ReadingOptions {
  readonly blobs: 'read' | 'present' | 'skip'
  readonly views: 'compare' | 'check' | 'skip'
  readonly tip?: Tip
  readonly scratch?: string
  readonly repair?: boolean
  readonly from?: readonly string[]
  readonly keyring?: string
  readonly salvage?: string
}

const stages = { log: 'Checking the log', views: 'Comparing the views', blobs: 'Reading the blobs' } as const

export function lookingOptions({ progress, signal }: CliContext, { blobs, views, tip, scratch }: VerifyCommandOptions) {
  return {
    blobs,
    views,
    signal,
    ...(tip && { tip }),
    ...(scratch !== undefined && { scratchDir: scratch }),
    onProgress: ({ stage, done, total }: { stage: keyof typeof stages; done: number; total: number }) =>
      progress.show(stages[stage], { done, total }),
  }
}

/** Writes one line for each finding, then the totals. Returns true when nothing is wrong. */
export async function showFindings({ output }: CliContext, report: VerifyReport, json: boolean): Promise<boolean> {
  const verdict = judge(report)
  for (const found of report.divergences) await (json ? output.json(asJson(found)) : output.line(asLine(found)))
  await (json ? output.json({ kind: 'report', ...verdict }) : output.line(summary(verdict)))
  return verdict.ok
}

interface Verdict extends Omit<VerifyReport, 'divergences' | 'found'> {
  readonly divergences: number
}

const judge = ({ ok, found, leftovers, events, rows, blobs, bytes, healed, tip }: VerifyReport): Verdict => ({
  ok,
  events,
  rows,
  blobs,
  bytes,
  divergences: found - leftovers,
  leftovers,
  ...(healed !== undefined && { healed }),
  ...(tip && { tip }),
})

export const asJson = ({ kind, ...rest }: Divergence) => ({
  kind: isLeftover({ kind }) ? 'leftover' : 'divergence',
  code: kind,
  ...rest,
})

export function asLine({ kind, message, seq, key, table, of }: Divergence): string {
  const { bucket, key: objectKey, versionId, uploadId, partNumber, keyspace } = of ?? {}
  const places = [
    bucket === undefined ? undefined : `s3://${bucket}${objectKey === undefined ? '' : `/${objectKey}`}`,
    versionId && `version ${versionId}`,
    uploadId && `upload ${uploadId}`,
    partNumber === undefined ? undefined : `part ${partNumber}`,
    keyspace && `keyspace ${keyspace}`,
    seq === undefined ? undefined : `event ${seq}`,
    table && `table ${table}`,
    key,
  ]
  const place = places.filter((part) => part !== undefined && part !== '').join(', ')
  return printable(`${kind}: ${message}${place === '' ? '' : ` (${place})`}`)
}

function summary({ ok, events, rows, blobs, bytes, divergences, healed, leftovers }: Verdict): string {
  const looked = `${events} events, ${rows} rows, ${blobs} blobs, ${bytes} bytes`
  const found = ok ? 'everything agrees' : `${divergences} divergences`
  const swept = leftovers === 0 ? '' : `; ${leftovers} leftovers of interrupted writes, which the next owner sweeps`
  const mended = healed === undefined ? '' : `; ${healed} healed from replicas`
  return `${looked}: ${found}${mended}${swept}.`
}
