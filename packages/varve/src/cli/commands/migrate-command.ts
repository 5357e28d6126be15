/** `varve migrate`: moves a store to another layout, to addresses, or from them to a directory. */
import { type LayoutName, layouts } from '@varve/adapters'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { resolve } from 'node:path'
import { configuredKeys } from '../../keyring/configured-keys.ts'
import type { MigrateStoreOptions } from '../../maintenance/directory-arguments.ts'
import type { MigrationReport } from '../../maintenance/migrate-store.ts'
import { migrateStore } from '../../maintenance/closed-stores.ts'
import type { MoveStatus } from '@varve/http'
import { addressPair, type AddressPair, addressPlace, nameOf } from '../../moving/address-place.ts'
import { directoryPlace } from '../../moving/directory-place.ts'
import { assertKeysGiven, bringKeys } from '../../moving/moved-keys.ts'
import { type MoveReport, moveStore } from '../../moving/move-store.ts'
import type { CliContext } from '../support/context.ts'
import { clientAt, parseEndpoint } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { keyringOption } from '../support/keyring-option.ts'
import { stageLabels } from '../support/progress.ts'
import { closedHints, explained } from '../support/reach-store.ts'
import { type StoreCommandOptions, storeCommand } from '../support/store-command.ts'
import { moveServed } from './served-migration.ts'

interface MigrateOptions extends StoreCommandOptions {
  readonly to?: LayoutName | AddressPair
  readonly from?: AddressPair
  readonly endpoint?: URL
  readonly keyring?: string
}

export function migrateCommand(context: CliContext): Command {
  return storeCommand('migrate', 'move the store to another layout or place')
    .addOption(toOption())
    .addOption(
      new Option(
        '--from <addresses>',
        'move the store at postgres://...+s3://... into the directory, which is new',
      ).argParser(parsePair),
    )
    .addOption(
      new Option('--endpoint <url>', 'let this server move its own store to addresses, and go on serving it from there')
        .argParser(parseEndpoint)
        .conflicts(['from', 'keyring']),
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
  const { endpoint, to } = given
  const work = endpoint === undefined ? migration(given, options) : servedMigration(context, endpoint, to)
  const { kind, report, text } = await work
    .catch((error: unknown) => Promise.reject(explained(error, given.dir, closedHints.migrating)))
    .finally(() => progress.clear())
  await (json ? output.json({ kind, ...report }) : output.line(text))
}

/** @throws UsageError */
async function servedMigration(context: CliContext, endpoint: URL, to: MigrateOptions['to']): Promise<Done> {
  if (typeof to !== 'object')
    throw new UsageError('A server moves its store to addresses.', {
      hint: 'Name them with `--to postgres://...+s3://...`.',
    })
  const { state, ...report } = await moveServed(context, clientAt(endpoint), nameOf(to))
  return { kind: state === 'moved' ? 'moved' : 'copied', report, text: servedTextOf({ state, ...report }) }
}

async function migration({ dir, to, from, keyring }: MigrateOptions, options: MigrateStoreOptions): Promise<Done> {
  const isAddressed = typeof to === 'object'
  if (to === undefined && from === undefined)
    throw new UsageError('Name the new place.', { hint: 'Use `--to LAYOUT`, or `--to postgres://...+s3://...`.' })
  if (!isAddressed && from === undefined) {
    const report = await migrateStore(dir, to, options)
    return { kind: 'migrated', report, text: textOf(report) }
  }
  const keys = await configuredKeys(keyring, process.env)
  const path = resolve(dir)
  if (from === undefined) await assertKeysGiven(path, keys)
  const places = {
    from: from === undefined ? directoryPlace(path) : addressPlace(from),
    to: isAddressed ? addressPlace(to) : directoryPlace(path, { layout: to }),
  }
  const report = await moveStore(places, options)
  if (!isAddressed) await bringKeys(path, keys)
  return { kind: report.isWhole ? 'moved' : 'copied', report, text: moveTextOf(report) }
}

function moveTextOf({ isWhole, from, to, head, events, blobs, bytes, pauseMs }: MoveReport): string {
  const copied = `Copied ${events} events, ${blobs} blobs and ${bytes} bytes to ${to}, up to event ${head}.`
  if (!isWhole)
    return `${copied}\nThe store in ${from} is in use: stop its server, and run this again to move the rest, or let the server move it (--endpoint).`
  return `${copied}\nThe store is there now, and took no writes for ${pauseMs} ms. Nothing opens ${from} to write any more.`
}

function servedTextOf({ from, to, events, blobs, bytes, head = 0, hashes, pauseMs, error }: MoveStatus): string {
  const lines = [`Copied ${events} events, ${blobs} blobs and ${bytes} bytes to ${to}, up to event ${head}.`]
  if (hashes !== undefined) lines.push(`The hash of that event is ${hashes.from} in ${from}, and ${hashes.into} there.`)
  if (error === undefined) lines.push(`The server goes on there: writes waited for ${pauseMs ?? 0} ms.`)
  else lines.push(`The server has not opened it there yet, and tries again: ${error.message}`)
  lines.push(`Nothing opens ${from} to write any more: start nodes instead of this server when it next ends.`)
  return lines.join('\n')
}

function textOf({ from, to, events, blobs, bytes }: MigrationReport): string {
  if (from === to) return `The store has the layout ${to} already.`
  return `Moved ${events} events from ${from} to ${to}; copied ${blobs} blobs, ${bytes} bytes.`
}
