/** What the commands that look into a store share: the directory, `--json`, opening and closing. */
import { isStorageError, StorageError } from '@varve/core'
import { Command, Option } from 'commander'
import { type MaintenanceOptions, openStoreForMaintenance } from '../open-store.ts'
import type { VarveStore } from '../varve-store.ts'
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

export const storeCommand = (name: string, description: string): Command =>
  new Command(name).description(description).addOption(dirOption()).addOption(jsonOption())

/** Opens the store if it is there and free, and closes it whatever happens. */
export async function withStore(
  { signal, progress }: CliContext,
  dir: string,
  use: (store: VarveStore) => Promise<void>,
  keys: Pick<MaintenanceOptions, 'keyring'> = {},
): Promise<void> {
  const store = await openExisting(dir, {
    ...keys,
    signal,
    onProgress: (done) => progress.show('Making the views again', done),
  }).finally(() => progress.clear())
  try {
    await use(store)
  } finally {
    await store.close()
  }
}

async function openExisting(dir: string, options: MaintenanceOptions): Promise<VarveStore> {
  try {
    return await openStoreForMaintenance(dir, options)
  } catch (error) {
    throw explained(error, dir)
  }
}

/** The same error, saying which directory, and who has it. */
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
