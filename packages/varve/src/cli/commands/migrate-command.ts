/** `varve migrate`: upgrades a store, and moves it to another layout, to addresses, or from them to a directory. */
import { type LayoutName, layouts } from '@varve/adapters'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { resolve } from 'node:path'
import { configuredKeys } from '../../keyring/configured-keys.ts'
import type { MigrateStoreOptions } from '../../maintenance/directory-arguments.ts'
import type { MigrationReport } from '../../maintenance/migrate-store.ts'
import { migrateStore } from '../../maintenance/closed-stores.ts'
import { addressPair, type AddressPair, addressPlace } from '../../moving/address-place.ts'
import { directoryPlace } from '../../moving/directory-place.ts'
import { assertKeysGiven, bringKeys } from '../../moving/moved-keys.ts'
import { type MoveReport, moveStore } from '../../moving/move-store.ts'
import type { CliContext } from '../support/context.ts'
import { keyringOption } from '../support/keyring-option.ts'
import { stageLabels } from '../support/progress.ts'
import { explained } from '../support/reach-store.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'

interface MigrateOptions extends StoreCommandOptions {
  readonly to?: LayoutName | AddressPair
  readonly from?: AddressPair
  readonly keyring?: string
}

export function migrateCommand(context: CliContext): Command {
  return storeCommand('migrate', 'upgrade the store to the current format, and move it to another layout or place')
    .addOption(toOption())
    .addOption(
      new Option(
        '--from <addresses>',
        'move the store at postgres://...+s3://... into the directory, which is new',
      ).argParser(parsePair),
    )
    .addOption(keyringOption())
    .action((options: MigrateOptions) => runMigrate(context, options))
}

function toOption(): Option {
  const names = layouts.map(({ name }) => name)
  const option = new Option('--to <place>', `the new layout (${names.join(', ')}), or postgres://...+s3://...`)
  option.argParser((text) => layouts.find(({ name }) => name === text)?.name ?? parsePair(text))
  option.argChoices = names
  return option
}

function parsePair(text: string): AddressPair {
  const pair = addressPair(text)
  if (pair !== undefined) return pair
  throw new InvalidArgumentError('It is no layout, and not the two addresses postgres://...+s3://... either.')
}

interface Done {
  readonly kind: 'migrated' | 'moved' | 'copied'
  readonly report: object
  readonly text: string
}

async function runMigrate(context: CliContext, { json = false, ...given }: MigrateOptions): Promise<void> {
  const { output, progress, signal } = context
  const options: MigrateStoreOptions = {
    signal,
    onProgress: ({ stage, ...how }) => progress.show(stageLabels[stage], how),
  }
  const { kind, report, text } = await migration(given, options)
    .catch((error: unknown) => Promise.reject(explained(error, given.dir)))
    .finally(() => progress.clear())
  await (json ? output.json({ kind, ...report }) : output.line(text))
}

async function migration({ dir, to, from, keyring }: MigrateOptions, options: MigrateStoreOptions): Promise<Done> {
  const isAddressed = typeof to === 'object'
  if (!isAddressed && from === undefined) {
    const report = await migrateStore(dir, to, options)
    return { kind: 'migrated', report, text: textOf(report) }
  }
  const keys = await configuredKeys(keyring, process.env)
  const path = resolve(dir)
  if (from === undefined) await assertKeysGiven(path, keys)
  const places = {
    from: from === undefined ? directoryPlace(path) : addressPlace(from),
    to: isAddressed ? addressPlace(to) : directoryPlace(path, to),
  }
  const report = await moveStore(places, options)
  if (!isAddressed) await bringKeys(path, keys)
  return { kind: report.isWhole ? 'moved' : 'copied', report, text: moveTextOf(report) }
}

function moveTextOf({ isWhole, from, to, head, events, blobs, bytes, pauseMs }: MoveReport): string {
  const copied = `Copied ${events} events, ${blobs} blobs and ${bytes} bytes to ${to}, up to event ${head}.`
  if (!isWhole)
    return `${copied}\nThe store in ${from} is in use: stop its server, and run this again to move the rest.`
  return `${copied}\nThe store is there now, and took no writes for ${pauseMs} ms. Nothing opens ${from} to write any more.`
}

function textOf({ from, to, events, blobs, bytes, upgradedFrom }: MigrationReport): string {
  const upgraded = upgradedFrom === undefined ? '' : `Upgraded the store from format ${upgradedFrom}. `
  const moved = `Moved ${events} events from ${from} to ${to}; copied ${blobs} blobs, ${bytes} bytes.`
  return `${upgraded}${from === to ? `The store has the layout ${to}${upgraded === '' ? ' already' : ''}.` : moved}`
}
