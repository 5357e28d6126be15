/** `varve verify`: checks that log, views and blobs agree, without opening the store or changing it. */
import { type Command, Option } from 'commander'
import type { VerifyReport } from '@varve/core'
import { verifyStore } from '../../maintenance/verify-store.ts'
import { runRepair, runSalvage } from './repair-command.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes } from '../support/exit-codes.ts'
import { parseText, parseTip } from '../support/parse-values.ts'
import { explained, openedOrAttached } from '../support/reach-store.ts'
import { isReadOnly, readOnlyOption, storeCommand } from '../support/store-command.ts'
import { lookingOptions, showFindings, type VerifyCommandOptions } from './verify-findings.ts'

export function verifyCommand(context: CliContext): Command {
  const command = storeCommand('verify', 'check log, views and blobs against each other')
  for (const option of ownOptions()) command.addOption(option)
  return command.action((options: VerifyCommandOptions) => {
    if (options.repair === true) return runRepair(context, options)
    return options.salvage === undefined ? runVerify(context, options) : runSalvage(context, options, options.salvage)
  })
}

function ownOptions(): Option[] {
  return [
    new Option('--blobs <how>', 'read every byte, see that each blob is present, or skip them')
      .choices(['read', 'present', 'skip'])
      .default('read'),
    new Option('--views <how>', 'make the views again and compare them, check each row by itself, or skip them')
      .choices(['compare', 'check', 'skip'])
      .default('compare'),
    new Option('--tip <seq:hash>', 'an end of the log remembered elsewhere, which it must still hold').argParser(
      parseTip,
    ),
    new Option('--scratch <dir>', 'where temporary files go (default: in the store)').argParser(parseText),
    readOnlyOption().conflicts('repair'),
    new Option('--repair', 'make again what the log can make, and keep aside what is damaged').conflicts('salvage'),
    new Option('--salvage <dir>', 'save every event of a damaged log that is whole, as a new store').argParser(
      parseText,
    ),
  ]
}

async function runVerify(context: CliContext, options: VerifyCommandOptions): Promise<void> {
  const { progress } = context
  const { dir, json = false } = options
  const readOnly = await isReadOnly(options)
  const looking = lookingOptions(context, options)
  const closed = () =>
    verifyStore(dir, { ...looking, readOnly }).catch((error: unknown) => Promise.reject(explained(error, dir)))
  const report = await (readOnly || options.scratch !== undefined
    ? closed()
    : closedOrOpen(context, options, closed)
  ).finally(() => progress.clear())
  if (!(await showFindings(context, report, json))) context.finish(exitCodes.diverged)
}

/** An open store is verified by the process that has it open. */
async function closedOrOpen(
  context: CliContext,
  options: VerifyCommandOptions,
  verifyClosed: () => Promise<VerifyReport>,
): Promise<VerifyReport> {
  const found = await openedOrAttached(options.dir, verifyClosed, context.signal)
  if (!('close' in found)) return found
  try {
    return await found.verify(lookingOptions(context, options))
  } finally {
    await found.close()
  }
}
