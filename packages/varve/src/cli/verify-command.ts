/** `varve verify`: does everything still agree? Reports, changes nothing. */
import type { Divergence, VerifyReport } from '@varve/core'
import { type Command, Option } from 'commander'
import type { CliContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import { printable } from './printable.ts'
import { type StoreCommandOptions, storeCommand, withStore } from './store-command.ts'

interface VerifyCommandOptions extends StoreCommandOptions {
  readonly blobs: 'read' | 'present' | 'skip'
}

const stages = { log: 'Checking the log', views: 'Comparing the views', blobs: 'Reading the blobs' } as const

export function verifyCommand(context: CliContext): Command {
  const blobs = new Option('--blobs <how>', 'read every byte, see that each blob is present, or skip them')
    .choices(['read', 'present', 'skip'])
    .default('read')
  return storeCommand('verify', 'check log, views and blobs against each other')
    .addOption(blobs)
    .action((options: VerifyCommandOptions) => runVerify(context, options))
}

async function runVerify(context: CliContext, { dir, json = false, blobs }: VerifyCommandOptions): Promise<void> {
  const { output, progress, signal } = context
  await withStore(context, dir, async (store) => {
    const report = await store
      .verify({ blobs, signal, onProgress: ({ stage, ...done }) => progress.show(stages[stage], done) })
      .finally(() => progress.clear())
    const verdict = judge(report)
    for (const found of report.divergences) await (json ? output.json(asJson(found)) : output.line(asLine(found)))
    await (json ? output.json({ kind: 'report', ...verdict }) : output.line(summary(verdict)))
    if (!verdict.ok) context.finish(exitCodes.diverged)
  })
}

interface Verdict extends Omit<VerifyReport, 'divergences' | 'found'> {
  readonly divergences: number
  readonly leftovers: number
}

/** Blobs without a name are what a crash leaves behind by design, and what the next owner sweeps: nothing is wrong. */
function judge({ divergences, events, rows, blobs, bytes }: VerifyReport): Verdict {
  const leftovers = divergences.filter(isLeftover).length
  const wrong = divergences.length - leftovers
  return { ok: wrong === 0, events, rows, blobs, bytes, divergences: wrong, leftovers }
}

const isLeftover = ({ kind }: Divergence): boolean => kind === 'BlobOrphan'

const asJson = ({ kind, ...rest }: Divergence) => ({
  kind: isLeftover({ kind, message: '' }) ? 'leftover' : 'divergence',
  code: kind,
  ...rest,
})

function asLine({ kind, message, seq, key }: Divergence): string {
  const place = [seq === undefined ? '' : `event ${seq}`, key ?? ''].filter((part) => part !== '').join(', ')
  return printable(`${kind}: ${message}${place === '' ? '' : ` (${place})`}`)
}

function summary({ ok, events, rows, blobs, bytes, divergences, leftovers }: Verdict): string {
  const looked = `${events} events, ${rows} rows, ${blobs} blobs, ${bytes} bytes`
  const found = ok ? 'everything agrees' : `${divergences} divergences`
  const swept = leftovers === 0 ? '' : `; ${leftovers} leftovers of interrupted writes, which the next owner sweeps`
  return `${looked}: ${found}${swept}.`
}
