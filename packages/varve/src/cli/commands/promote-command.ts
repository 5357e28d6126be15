/** `varve promote`: makes a store that follows a replica an ordinary one. */
import { isStorageError, type PromoteOptions, type Store } from '@varve/core'
import { type Command, Option } from 'commander'
import { openStoreForMaintenance } from '../../store/open-directory.ts'
import { openFollowing } from '../../store/open-following.ts'
import { openStoreOptions } from '../../store/store-options.ts'
import { rootActorOf } from '../../identities/root-actor.ts'
import type { CliContext } from '../support/context.ts'
import { type ReachingOptions, reachingCommand, storeAt } from '../support/endpoint-option.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { openedOrAttached } from '../support/reach-store.ts'

interface PromoteCommandOptions extends ReachingOptions, PromoteOptions {
  readonly from?: string
  readonly keyring?: string
}

export const promoteCommand = (context: CliContext): Command =>
  reachingCommand(
    'promote',
    'make a store that follows a replica an ordinary one, in place of the writer of the replica',
  )
    .argument('[directory]', 'directory of the store; also as --dir')
    .addOption(
      new Option('--from <address>', 'the replica, if its address has parameters and no process has the store open')
        .argParser(parseText)
        .conflicts('endpoint'),
    )
    .addOption(keyringOption().conflicts('endpoint'))
    .addOption(new Option('--take-over', 'depose whoever writes the replica, also a writer that was not followed'))
    .addOption(new Option('--without-replica', 'the replica is lost: depose nobody, and look for no later events'))
    .action((directory: string | undefined, options: PromoteCommandOptions) =>
      run(context, { ...options, ...(directory !== undefined && { dir: directory }) }),
    )

async function run(context: CliContext, options: PromoteCommandOptions): Promise<void> {
  const { output, signal } = context
  const { dir, endpoint, json = false, takeOver = false, withoutReplica = false } = options
  const reached =
    endpoint === undefined ? await openedOrAttached(dir, () => openClosed(options, signal), signal) : storeAt(endpoint)
  try {
    const promotion = await reached.promote({ takeOver, withoutReplica })
    if (json) return await output.json({ kind: 'promoted', ...promotion })
    const { seq, replica, deposed } = promotion
    await output.line(`The store takes writes from event ${seq} on.`)
    if (deposed !== undefined)
      await output.line(`${printable(deposed.name)} was deposed: it takes no more writes when it notices.`)
    else if (withoutReplica) await output.line('Nobody was deposed: see that the store that it followed does not run.')
    await output.line(
      `A server that follows ${printable(replica)} writes that replica now; others do with --replicate.`,
    )
  } finally {
    await reached.close()
  }
}

/** Opens a store that no other process has open, to do nothing but promote it. */
async function openClosed({ dir, from, keyring: file }: PromoteCommandOptions, signal: AbortSignal): Promise<Store> {
  const keyring = await keyringOf(file)
  const actor = await rootActorOf(dir, process.env)
  const opening = { ...keyring, ...(actor && { actor }), signal }
  try {
    return await openStoreForMaintenance(dir, opening)
  } catch (error) {
    if (!isStorageError(error, 'ReadOnly') || error.details['kind'] !== 'following') throw error
    const options = openStoreOptions({
      create: false,
      sweepEveryMs: 0,
      lifecycle: false,
      ...opening,
    })
    return openFollowing(dir, options, from ?? String(error.details['peer']), { isOwned: false })
  }
}
