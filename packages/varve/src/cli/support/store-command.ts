/** The options that commands on a store share. */
import { access, constants } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { parsePath } from './parse-values.ts'

export const defaultDirectory = './varve-data'

export interface StoreCommandOptions {
  readonly dir: string
  readonly json?: boolean
}

export const dirOption = (): Option =>
  new Option('-d, --dir <dir>', 'directory of the store')
    .env('VARVE_DIR')
    .default(defaultDirectory)
    .argParser(parsePath)

export const jsonOption = (): Option => new Option('--json', 'one JSON value per line, for programs')

export const readOnlyOption = (): Option =>
  new Option('--read-only', 'touch no file of the store, and take no lock (default: where it cannot be written)')

const unwritable = new Set(['EROFS', 'EACCES', 'EPERM'])

/** True with the option, or if nothing can be written anyway. */
export async function isReadOnly({
  dir,
  readOnly = false,
}: StoreCommandOptions & { readonly readOnly?: boolean }): Promise<boolean> {
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
