/** Opens a store for one command, or connects to the process that has it open. */
import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, schema, StorageError } from '@varve/core'
import { connected } from '../../attached/connect.ts'
import type { ReachedStore } from '../../control/reached-store.ts'
import { rootActorOf } from '../../identities/root-actor.ts'
import { type MaintenanceOptions, openStoreForMaintenance, openStoreReadOnly } from '../../store/open-directory.ts'
import type { Store } from '@varve/core'
import type { CliContext } from './context.ts'
import { type ReachingOptions, type ReadingOptions, storeAt } from './endpoint-option.ts'
import { type RemoteStore, remoteStore } from './remote-store.ts'
import { shellWord } from './shell-word.ts'
import { isReadOnly, type StoreCommandOptions } from './store-command.ts'
import { commandLine } from './program-name.ts'

type Keys = Pick<MaintenanceOptions, 'keyring'>
type Opening = (dir: string, options: MaintenanceOptions) => Promise<Store>

/** An owner that was just started or is just closing is soon reached, or gone. */
const attemptsMax = 3
const pauseMs = 100

/** Opens the store, if it exists and is free, and always closes it. */
export async function withOwnStore(
  context: CliContext,
  { dir }: StoreCommandOptions,
  use: (store: Store) => Promise<void>,
  keys: Keys = {},
): Promise<void> {
  const store = await opened(context, dir, openStoreForMaintenance, { ...keys, hint: closedHints.command })
  await closing(store, use)
}

/** Like `withOwnStore`; a store that another process or a server has open is used there. */
export async function withStore(
  context: CliContext,
  { dir, endpoint }: ReachingOptions,
  use: (store: ReachedStore) => Promise<void>,
  keys: Keys = {},
): Promise<void> {
  if (endpoint !== undefined) return closing(storeAt(endpoint), use)
  const open = () => opened(context, dir, openStoreForMaintenance, { ...keys, hint: closedHints.reaching })
  await closing(await openedOrAttached(dir, open, context.signal), use)
}

/** Like `withStore`, for commands that only read. With `--read-only`, no file of the store is touched. */
export async function withReadableStore(
  context: CliContext,
  options: ReadingOptions,
  use: (store: ReachedStore) => Promise<void>,
  keys: Keys = {},
): Promise<void> {
  if (options.endpoint !== undefined || !(await isReadOnly(options))) return withStore(context, options, use, keys)
  await closing(await opened(context, options.dir, openStoreReadOnly, keys), use)
}

/**
 * What `open` returns, or the store of the process that has the directory locked.
 * @throws what `open` throws; `StoreLocked` if that process does not listen
 */
export async function openedOrAttached<T>(
  dir: string,
  open: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | RemoteStore> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open()
    } catch (error) {
      if (!isStorageError(error, 'StoreLocked')) throw error
      const client = await connected(dir, signal)
      if (client !== undefined) return remoteStore(client)
      if (attempt === attemptsMax) throw error
      await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

async function opened(
  { signal, progress }: CliContext,
  dir: string,
  open: Opening,
  { hint, ...keys }: Keys & { readonly hint?: string },
): Promise<Store> {
  const onProgress = (done: Parameters<NonNullable<MaintenanceOptions['onProgress']>>[0]): void =>
    progress.show('Making the views again', done)
  const actor = await rootActorOf(dir, process.env)
  try {
    return await open(dir, { ...keys, ...(actor && { actor }), signal, onProgress })
  } catch (error) {
    throw explained(error, dir, hint)
  } finally {
    progress.clear()
  }
}

async function closing<S extends ReachedStore>(store: S, use: (store: S) => Promise<void>): Promise<void> {
  try {
    await use(store)
  } catch (error) {
    throw await withNearBucket(store, error)
  } finally {
    await store.close()
  }
}

/** Names of buckets that are looked through for a near one. */
const namesMax = 10_000

/** Adds the name of a bucket that a misspelt one may mean. */
async function withNearBucket({ buckets }: ReachedStore, error: unknown): Promise<unknown> {
  if (!isStorageError(error, 'NoSuchBucket')) return error
  const { message, details, hint } = error
  const names: string[] = []
  try {
    for await (const { name } of buckets.list()) if (names.push(name) === namesMax) break
  } catch {
    return error
  }
  const near = schema.nearestOf(String(details['BucketName'] ?? ''), names)
  if (near === undefined || message.includes('Did you mean')) return error
  return new StorageError('NoSuchBucket', `${message} Did you mean ${near}?`, { details, hint, cause: error })
}

/** What helps while another process has the store open, by what the command can do. */
export const closedHints = {
  command: 'This command needs a store that is closed: end that process first.',
  migrating:
    'End that process first. A server that has the store open moves it to addresses itself, with `--endpoint` and `--to postgres://...+s3://...`.',
  result: 'Name another directory for the result.',
  reaching: 'End that process, or send the command to its server with `--endpoint`.',
} as const

/** Adds the directory to the error, the process that holds the store, and what helps then. */
export function explained(error: unknown, dir: string, whileHeld: string = closedHints.command): unknown {
  if (!isStorageError(error, 'StoreLocked', 'StoreNotFound')) return error
  const { code, details, message } = error
  const text = code === 'StoreLocked' ? heldBy(details['pid'], message) : message
  return new StorageError(code, `${dir}: ${text}`, { details, hint: hintIn(dir, error, whileHeld), cause: error })
}

function hintIn(dir: string, { code, details, hint }: StorageError, whileHeld: string): string | undefined {
  if (code === 'StoreLocked' && details['pid'] === process.pid) return closedHints.result
  if (code === 'StoreLocked') return details['kind'] === undefined ? whileHeld : hint
  const isMissing = code === 'StoreNotFound' && details['kind'] === 'missing'
  return isMissing
    ? `Make a store with \`${commandLine(`init --dir ${shellWord(dir)}`)}\`, or name another directory.`
    : hint
}

function heldBy(pid: unknown, message: string): string {
  if (typeof pid !== 'number') return message
  const holder = pid === process.pid ? 'this process' : `process ${pid}`
  return `the store is held by ${holder}.`
}
