/** `varve keys`: lists the keys that objects are encrypted with, without revealing them. */
import { Command } from 'commander'
import { type KeyGenerationInfo, StorageError } from '@varve/core'
import { masterIds } from '../../keyring/create-keyring.ts'
import { createKeyringFile, loadKeyringFile, newKey, replaceKeyringFile } from '../../keyring/keyring-file.ts'
import type { CliContext } from '../support/context.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { printable } from '../support/printable.ts'
import { withOwnStore, withStore } from '../support/reach-store.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { shellWord } from '../support/shell-word.ts'
import { storeCommand } from '../support/store-command.ts'

interface KeysOptions extends ReachingOptions {
  readonly keyring?: string
}

export function keysCommand(context: CliContext): Command {
  return new Command('keys')
    .description('the keys that objects are encrypted with')
    .addCommand(createCommand(context))
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(rotateCommand(context))
}

const createCommand = (context: CliContext): Command =>
  new Command('create')
    .description('make a keyring with a new master key, readable by its owner alone')
    .argument('<file>', 'the keyring; there must be none yet')
    .action(async (file: string) => {
      const material = { master: [newKey()], keys: {} }
      if (!(await createKeyringFile(file, material))) {
        throw new StorageError('InvalidArgument', `There is a keyring ${file} already.`, {
          hint: `Add a key to it with \`varve keys add ${shellWord(file)}\`.`,
        })
      }
      await context.output.line(`${file}: master key ${masterIds(material)[0]}`)
    })

const addCommand = (context: CliContext): Command =>
  new Command('add')
    .description('add a new key to a keyring, to be used from now on; those before it stay, for what they encrypted')
    .argument('<file>', 'the keyring')
    .argument('[name]', 'of the key, for clients that ask for one by its name; without it, a master key')
    .action(async (file: string, name: string | undefined) => {
      const material = await loadKeyringFile(file)
      const { master, keys } = material
      const changed =
        name === undefined
          ? { master: [newKey(), ...master], keys }
          : { master, keys: { ...keys, [name]: [newKey(), ...(keys[name] ?? [])] } }
      await replaceKeyringFile(file, changed)
      await context.output.line(
        name === undefined ? `${file}: master key ${masterIds(changed)[0]}` : `${file}: key ${printable(name)}`,
      )
    })

const listCommand = (context: CliContext): Command =>
  reachingCommand('list', 'the generations of keys that the store keeps, and the master key each is wrapped in')
    .addOption(keyringOption())
    .action((options: KeysOptions) => runList(context, options))

const rotateCommand = (context: CliContext): Command =>
  storeCommand('rotate', 'wrap all generations in the newest master key, and add one for what is written from now on')
    .addOption(keyringOption())
    .action((options: KeysOptions) => runRotate(context, options))

async function runList(context: CliContext, options: KeysOptions): Promise<void> {
  const keys = await keyringOf(options.keyring)
  await withStore(context, options, async (store) => show(context, options, await store.keys.list()), keys)
}

/** The keyring of this command counts, so the store must be free. */
async function runRotate(context: CliContext, options: KeysOptions): Promise<void> {
  const keys = await keyringOf(options.keyring)
  await withOwnStore(context, options, async (store) => show(context, options, await store.keys.rotate()), keys)
}

async function show(
  { output }: CliContext,
  { json = false }: KeysOptions,
  generations: readonly KeyGenerationInfo[],
): Promise<void> {
  for (const one of generations) {
    await (json ? output.json(one) : output.line(`generation ${one.generation}  master key ${one.master}`))
  }
}
