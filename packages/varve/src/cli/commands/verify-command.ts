/** `varve verify`: checks that log, views and blobs agree, without opening the store or changing it. */
import { type Command, Option } from 'commander'
import type { VerifyReport } from '@varve/core'
import type { RemoteStore } from '../support/remote-store.ts'
import type { AttachedVerifyOptions } from '../../attached/attached-work.ts'
import { verifyStore } from '../../maintenance/closed-stores.ts'
import { runRepair, runSalvage } from './repair-command.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { parseAddresses, parseText, parseTip } from '../support/parse-values.ts'
import { closedHints, explained, openedOrAttached } from '../support/reach-store.ts'
import { reachingCommand, storeAt } from '../support/endpoint-option.ts'
import { isReadOnly, readOnlyOption } from '../support/store-command.ts'
import { lookingOptions, showFindings, type VerifyCommandOptions } from './verify-findings.ts'

export function verifyCommand(context: CliContext): Command {
  const command = reachingCommand('verify', 'check log, views and blobs against each other')
  for (const option of ownOptions()) command.addOption(option)
  return command.action((options: VerifyCommandOptions) => {
    if (options.from !== undefined && options.repair !== true) throw new UsageError('--from is for --repair.')
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
    new Option('--scratch <dir>', 'where temporary files go (default: in the store)')
      .argParser(parseText)
      .conflicts('endpoint'),
    readOnlyOption().conflicts(['repair', 'endpoint']),
    new Option('--repair', 'make again what the log can make, and keep aside what is damaged').conflicts([
      'salvage',
      'endpoint',
    ]),
    new Option('--from <address>', 'with --repair: a replica that has what is damaged; can be repeated')
      .argParser(parseAddresses)
      .conflicts(['salvage', 'endpoint']),
    keyringOption(),
    new Option('--salvage <dir>', 'save every event of a damaged log that is whole, as a new store')
      .argParser(parseText)
      .conflicts('endpoint'),
  ]
}

async function runVerify(context: CliContext, options: VerifyCommandOptions): Promise<void> {
  const { json = false } = options
  const report = await verified(context, options).finally(() => context.progress.clear())
  if (!(await showFindings(context, report, json))) context.finish(exitCodes.diverged)
}

/** An open store is verified by the process that has it open. */
async function verified(context: CliContext, options: VerifyCommandOptions): Promise<VerifyReport> {
  const { dir, endpoint, scratch } = options
  const looking = lookingOptions(context, options)
  if (endpoint !== undefined) return verifiedThere(storeAt(endpoint), looking)
  const readOnly = await isReadOnly(options)
  const keys = await keyringOf(options.keyring)
  const verifyClosed = () =>
    verifyStore(dir, { ...looking, ...keys, readOnly }).catch((error: unknown) =>
      Promise.reject(explained(error, dir, scratch === undefined ? closedHints.reaching : closedHints.command)),
    )
  if (readOnly || scratch !== undefined) return verifyClosed()
  const found = await openedOrAttached(dir, verifyClosed, context.signal)
  return 'close' in found ? verifiedThere(found, looking) : found
}

async function verifiedThere(store: RemoteStore, looking: AttachedVerifyOptions): Promise<VerifyReport> {
  try {
    return await store.verify(looking)
  } finally {
    await store.close()
  }
}
