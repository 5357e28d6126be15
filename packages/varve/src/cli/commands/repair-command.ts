/** `varve verify --repair` and `--salvage`: repair changes the store, salvage writes a new one elsewhere. */
import type { LostEvent } from '@varve/core'
import { repairStore, salvageStore } from '../../maintenance/closed-stores.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes } from '../support/exit-codes.ts'
import { keyringOf } from '../support/keyring-option.ts'
import { printable } from '../support/printable.ts'
import { s3Uri } from '../support/s3-uri.ts'
import { explained } from '../support/reach-store.ts'
import { isReadOnly } from '../support/store-command.ts'
import { asJson, asLine, lookingOptions, showFindings, type VerifyCommandOptions } from './verify-findings.ts'

export async function runRepair(context: CliContext, options: VerifyCommandOptions): Promise<void> {
  const { output, progress } = context
  const { dir, json = false } = options
  const { views: _, ...looking } = lookingOptions(context, options)
  const keys = options.from && { from: options.from, ...(await keyringOf(options.keyring)) }
  const { actions, after } = await repairStore(dir, { ...looking, ...keys })
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  for (const action of actions) await (json ? output.json({ kind: 'action', action }) : output.line(printable(action)))
  if (!(await showFindings(context, after, json))) context.finish(exitCodes.diverged)
}

export async function runSalvage(context: CliContext, options: VerifyCommandOptions, into: string): Promise<void> {
  const { output, progress } = context
  const { dir, json = false } = options
  const { views: _views, blobs: _blobs, ...looking } = lookingOptions(context, options)
  const readOnly = await isReadOnly(options)
  const { before, events, eventsLost, lost, bytesLost } = await salvageStore(dir, into, {
    ...looking,
    readOnly,
  })
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  for (const found of [...before.divergences, ...bytesLost]) {
    await (json ? output.json(asJson(found)) : output.line(asLine(found)))
  }
  for (const event of lost) await (json ? output.json({ kind: 'lost', ...event }) : output.line(lostLine(event)))
  const objects = bytesLost.length
  const sum = { events, eventsLost, bytesLost: objects }
  const text = `Saved ${events} events in ${into}; lost ${eventsLost} events, and the bytes of ${objects} blobs.`
  await (json ? output.json({ kind: 'salvaged', ...sum }) : output.line(printable(text)))
  if (eventsLost + objects > 0) context.finish(exitCodes.diverged)
}

function lostLine({ seq, reason, dependsOn, type, bucket, key }: LostEvent): string {
  const place = bucket === undefined ? '' : ` ${s3Uri(bucket, key)}`
  const needed = dependsOn === undefined ? '' : ` on event ${dependsOn}`
  return printable(`Event ${seq} is lost (${reason}${needed}): ${type ?? 'unknown'}${place}`)
}
