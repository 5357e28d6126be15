/** `varve verify`: checks that log, views and blobs agree, without opening the store or changing it. */
import { type Command, Option } from 'commander'
import { verifyStore } from '../../maintenance/verify-store.ts'
import { runRepair, runSalvage } from './repair-command.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes } from '../support/exit-codes.ts'
import { parseText, parseTip } from '../support/parse-values.ts'
import { explained, isReadOnly, readOnlyOption, storeCommand } from '../support/store-command.ts'
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
  const report = await verifyStore(dir, { ...lookingOptions(context, options), readOnly })
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  if (!(await showFindings(context, report, json))) context.finish(exitCodes.diverged)
}
