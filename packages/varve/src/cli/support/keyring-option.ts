/** `--keyring`: the keys that a command uses. */
import { Option } from 'commander'
import type { Keyring } from '@varve/core'
import { createKeyring } from '../../keyring/create-keyring.ts'
import { configuredKeys } from '../../keyring/configured-keys.ts'
import { parseText } from './parse-values.ts'

export const keyringOption = (): Option =>
  new Option('--keyring <file>', 'JSON file of keys to encrypt with, readable by its owner alone')
    .env('VARVE_KEYRING')
    .argParser(parseText)

/**
 * The keyring option for opening a store. Without any, the store uses its own keyring. @throws StorageError
 * `InvalidArgument`
 */
export async function keyringOf(file: string | undefined): Promise<{ readonly keyring?: Keyring }> {
  const material = await configuredKeys(file, process.env)
  return material === undefined ? {} : { keyring: createKeyring(material) }
}
