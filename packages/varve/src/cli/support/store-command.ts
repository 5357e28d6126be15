/** Code that commands on a store share: the directory, `--json`, opening and closing. */
import { access, constants } from 'node:fs/promises'
import { isStorageError, StorageError } from '@varve/core'
import { Command, Option } from 'commander'
import { type MaintenanceOptions, openStoreForMaintenance, openStoreReadOnly } from '../../store/open-store.ts'
import type { Store } from '@varve/core'
import type { CliContext } from './context.ts'
import { parseText } from './parse-values.ts'

const defaultDirectory = './varve-data'

export interface StoreCommandOptions {
  readonly dir: string
  readonly json?: boolean
}

export const dirOption = (): Option =>
  new Option('-d, --dir <dir>', 'directory of the store')
    .env('VARVE_DIR')
    .default(defaultDirectory)
    .argParser(parseText)

export const jsonOption = (): Option => new Option('--json', 'one JSON value per line, for programs')

/** Options of commands that only read. */
export interface ReadingOptions extends StoreCommandOptions {
  readonly readOnly?: boolean
}

export const readOnlyOption = (): Option =>
  new Option('--read-only', 'touch no file of the store, and take no lock (default: where it cannot be written)')

export const readingCommand = (name: string, description: string): Command =>
  storeCommand(name, description).addOption(readOnlyOption())

const unwritable = new Set(['EROFS', 'EACCES', 'EPERM'])

/** True with the option, or if nothing can be written anyway. */
export async function isReadOnly({ dir, readOnly = false }: ReadingOptions): Promise<boolean> {
  if (readOnly) return true
  try {
    await access(dir, constants.W_OK)
    return false
  } catch (error) {
    return unwritable.has((error as NodeJS.ErrnoException).code ?? '')
  }
}

export const storeCommand = (name: string, description: string): Command =>
  new Command(name).description(description).addOption(dirOption()).addOption(jsonOption())

/** Opens the store, if it exists and is free, and always closes it. */
export async function withStore(
  context: CliContext,
  dir: string,
  use: (store: Store) => Promise<void>,
  keys: Pick<MaintenanceOptions, 'keyring'> = {},
): Promise<void> {
  return withOpened(context, { dir, open: openStoreForMaintenance, keys }, use)
}

/** Like `withStore`, for commands that only read. With `--read-only`, no file of the store is touched. */
export async function withReadableStore(
  context: CliContext,
  options: ReadingOptions,
  use: (store: Store) => Promise<void>,
  keys: Pick<MaintenanceOptions, 'keyring'> = {},
): Promise<void> {
  const open: Opening = (await isReadOnly(options)) ? openStoreReadOnly : openStoreForMaintenance
  return withOpened(context, { dir: options.dir, open, keys }, use)
}

type Opening = (dir: string, options: MaintenanceOptions) => Promise<Store>

interface ToOpen {
  readonly dir: string
  readonly open: Opening
  readonly keys: Pick<MaintenanceOptions, 'keyring'>
}

async function withOpened(
  { signal, progress }: CliContext,
  { dir, open, keys }: ToOpen,
  use: (store: Store) => Promise<void>,
): Promise<void> {
  const opening = open(dir, {
    ...keys,
    signal,
    onProgress: (done) => progress.show('Making the views again', done),
  })
  const store = await opening
    .catch((error: unknown) => Promise.reject(explained(error, dir)))
    .finally(() => progress.clear())
  try {
    await use(store)
  } finally {
    await store.close()
  }
}

/** Adds the directory to the error, and the process that holds the store. */
export function explained(error: unknown, dir: string): unknown {
  if (!isStorageError(error, 'StoreLocked', 'StoreNotFound')) return error
  const { code, details, message } = error
  return new StorageError(code, `${dir}: ${code === 'StoreLocked' ? heldBy(details['pid'], message) : message}`, {
    details,
    cause: error,
  })
}

function heldBy(pid: unknown, message: string): string {
  if (typeof pid !== 'number') return message
  const holder = pid === process.pid ? 'this process' : `process ${pid}`
  return `the store is held by ${holder}. One process owns a store at a time: end that one, or ask it over HTTP.`
}
