/** `varve verify --repair` and `--salvage`: the two that change something, here or elsewhere. */
import { repairStore } from '../repair-store.ts'
import { salvageStore } from '../salvage-store.ts'
import type { CliContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import { printable } from './printable.ts'
import { explained } from './store-command.ts'
import { asJson, asLine, lookingOptions, showFindings, type VerifyCommandOptions } from './verify-findings.ts'

export async function runRepair(context: CliContext, options: VerifyCommandOptions): Promise<void> {
  const { output, progress } = context
  const { dir, json = false } = options
  const { actions, after } = await repairStore(dir, lookingOptions(context, options))
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  for (const action of actions) await (json ? output.json({ kind: 'action', action }) : output.line(printable(action)))
  if (!(await showFindings(context, after, json))) context.finish(exitCodes.diverged)
}

export async function runSalvage(context: CliContext, options: VerifyCommandOptions, into: string): Promise<void> {
  const { output, progress } = context
  const { dir, json = false } = options
  const { before, events, eventsLost, bytesLost } = await salvageStore(dir, into, lookingOptions(context, options))
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  for (const found of [...before.divergences, ...bytesLost]) {
    await (json ? output.json(asJson(found)) : output.line(asLine(found)))
  }
  const objects = bytesLost.length
  const sum = { events, eventsLost, bytesLost: objects }
  const text = `Saved ${events} events in ${into}; lost ${eventsLost} events, and the bytes of ${objects} blobs.`
  await (json ? output.json({ kind: 'salvaged', ...sum }) : output.line(printable(text)))
  if (eventsLost + objects > 0) context.finish(exitCodes.diverged)
}
