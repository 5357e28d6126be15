/** `varve serve` and its options. */
import { layouts } from '@varve/adapters'
import { Command, Option } from 'commander'
import type { CliContext } from '../support/context.ts'
import { addressOptions, nodeOptions } from '../support/address-options.ts'
import { UsageError } from '../support/exit-codes.ts'
import {
  parseAddresses,
  parseBytes,
  parseDuration,
  parseLimit,
  parseNames,
  parsePort,
  parseRate,
  parsePath,
  parseText,
  parseTotal,
  parseThreads,
  parseWorkers,
} from '../support/parse-values.ts'
import { fileChecks } from '../../store/file-check.ts'
import { configOption } from '../config/config-option.ts'
import { keyringOption } from '../support/keyring-option.ts'
import { dirOption, jsonOption } from '../support/store-command.ts'
import { checkReplicating } from './replicating-settings.ts'
import type { ServerSettings } from './server-settings.ts'

export interface ServeOptions extends Omit<ServerSettings, 'json'> {
  readonly json?: boolean
}

/** Every option of the command: those on the command line, their variables, and the fields of a configuration file. */
export const serveOptions = (): readonly Option[] => [
  configOption(),
  dirOption(),
  ...addressOptions(),
  ...nodeOptions(),
  ...connectionServerOptions(),
  ...limitOptions(),
  ...storeOptions(),
  ...replicaOptions(),
  jsonOption(),
]

const twiceHint = 'Name the directory once: as an argument or with `--dir`.'
export function serveCommand(context: CliContext): Command {
  const command = new Command('serve')
    .description('serve a store over the S3 protocol, making it if there is none')
    .argument('[dir]', 'directory of the store; the same as --dir', parsePath)
  for (const option of serveOptions()) command.addOption(option)
  return command.action(async (directory: string | undefined) => {
    if (directory === '') throw new UsageError('The directory must not be empty.')
    if (directory !== undefined && command.getOptionValueSource('dir') === 'cli')
      throw new UsageError('The directory is given twice.', { hint: twiceHint })
    const read = () => configuredSettings(command, directory)
    const settings = await read()
    // Imported here, so that other commands do not load the server and its parsers.
    const { runServer } = await import('./run-server.ts')
    await runServer(context, settings, command.getOptionValue('config') === undefined ? undefined : read)
  })
}

/** What was given, with what the configuration file sets. @throws StorageError `InvalidArgument` */
async function configuredSettings(command: Command, directory: string | undefined): Promise<ServerSettings> {
  // Imported here, so that other commands do not load the parsers of the file.
  const { applyConfig } = await import('../config/configured.ts')
  await applyConfig(command)
  const { dir, json = false, ...options } = command.opts<ServeOptions>()
  const namesDirectory = directory !== undefined || command.getOptionValueSource('dir') !== 'default'
  if (options.journal !== undefined && namesDirectory)
    throw new UsageError('Name a directory, or the address of a journal: a store is in one of them.')
  checkReplicating(fieldsGiven(command), options)
  return { ...options, json, dir: directory ?? dir }
}

const fieldsGiven = (command: Command): readonly string[] =>
  command.options
    .filter((option) => !['default', undefined].includes(command.getOptionValueSource(option.attributeName())))
    .map((option) => option.name())

/** Identities, addresses and limits of a server. */
function connectionServerOptions(): Option[] {
  return [
    new Option('--host <host>', 'address to listen on').env('VARVE_HOST').default('127.0.0.1').argParser(parseText),
    new Option('-p, --port <port>', 'port to listen on; 0 takes a free one')
      .env('VARVE_PORT')
      .default(9000)
      .argParser(parsePort),
    new Option('--next-port', 'if the port is taken, listen on the next free one').env('VARVE_NEXT_PORT'),
    new Option('--region <region>', "where buckets are (default: the dialect's, eu or us-east-1)")
      .env('VARVE_REGION')
      .argParser(parseText),
    new Option('--dialect <dialect>', 'where the service description and AWS differ')
      .env('VARVE_DIALECT')
      .choices(['neutral', 'aws'])
      .default('neutral'),
    new Option('--identities <file>', 'JSON file of who may ask, readable by its owner alone')
      .env('VARVE_IDENTITIES')
      .argParser(parseText),
    keyringOption(),
    new Option('--webhooks <file>', 'JSON file of who is told by HTTP what happens, readable by its owner alone')
      .env('VARVE_WEBHOOKS')
      .argParser(parseText),
    new Option('--host-suffix <name>', 'bucket.NAME is a bucket; several with commas, or again (default: localhost)')
      .env('VARVE_HOST_SUFFIX')
      .argParser(parseNames),
    new Option('--website-suffix <name>', "bucket.NAME is the bucket's website; several with commas, or again")
      .env('VARVE_WEBSITE_SUFFIX')
      .argParser(parseNames),
    new Option(
      '--trusted-proxy <range>',
      'proxies whose X-Forwarded-For and -Proto are believed: addresses or CIDR; several with commas, or again',
    )
      .env('VARVE_TRUSTED_PROXY')
      .argParser(parseNames),
    new Option('--signatures <versions>', "signatures that are taken (default: the dialect's, v4 or v2+v4)")
      .env('VARVE_SIGNATURES')
      .choices(['v4', 'v2+v4']),
    new Option('--bucket-defaults <defaults>', 'settings of new buckets: closed, as S3 makes them (default), or open')
      .env('VARVE_BUCKET_DEFAULTS')
      .choices(['open', 'closed']),
    new Option('--open-log', 'show checkpoints and hashes of the log below /-/log/ to everyone').env('VARVE_OPEN_LOG'),
    new Option('--tls-cert <file>', 'serve HTTPS with the certificates of this PEM file; read again when it changes')
      .env('VARVE_TLS_CERT')
      .argParser(parseText),
    new Option('--tls-key <file>', 'the key of the certificate, as PEM').env('VARVE_TLS_KEY').argParser(parseText),
    new Option('--no-console', 'answer no console at /-/console/').env('VARVE_NO_CONSOLE'),
    new Option('--metrics', 'answer GET /-/metrics, for Prometheus').env('VARVE_METRICS'),
    new Option('--metrics-token-file <file>', 'file with the bearer token that /-/metrics needs; implies --metrics')
      .env('VARVE_METRICS_TOKEN_FILE')
      .argParser(parseText),
    new Option('--request-log <file>', 'append one JSON line per request to this file; - for standard output')
      .env('VARVE_REQUEST_LOG')
      .argParser(parseText),
    new Option('--request-log-level <level>', 'the least level of a line: warn is 4xx and 5xx, error is 5xx')
      .env('VARVE_REQUEST_LOG_LEVEL')
      .choices(['info', 'warn', 'error'])
      .default('info'),
    new Option('--audit-log <file>', 'append one JSON line per refusal and per action of the control API to this file')
      .env('VARVE_AUDIT_LOG')
      .argParser(parseText),
    new Option('--access-log-every <duration>', 'how long a line of an access log waits before it is delivered')
      .env('VARVE_ACCESS_LOG_EVERY')
      .default(300_000, '5min')
      .argParser(parseDuration),
    new Option('--opentelemetry', 'report traces and metrics to the OpenTelemetry SDK of NODE_OPTIONS=--import').env(
      'VARVE_OPENTELEMETRY',
    ),
    new Option('--log-requests', 'one line per request; without it, those that failed for our own fault'),
  ]
}

/** Limits of connections and requests. */
function limitOptions(): Option[] {
  const duration = (flags: string, variable: string, text: string) =>
    new Option(flags, text).env(variable).argParser(parseDuration)
  const limit = (flags: string, variable: string, text: string) =>
    new Option(flags, text).env(variable).argParser(parseLimit)
  return [
    limit('--connections-max <count>', 'VARVE_CONNECTIONS_MAX', 'connections at once (default: 10000)'),
    limit(
      '--requests-per-connection-max <count>',
      'VARVE_REQUESTS_PER_CONNECTION_MAX',
      'requests on a connection, which is then closed (default: 100000)',
    ),
    duration('--keep-alive <duration>', 'VARVE_KEEP_ALIVE', 'how long a connection waits for a request (default: 65s)'),
    duration(
      '--idle-timeout <duration>',
      'VARVE_IDLE_TIMEOUT',
      'how long a request may transfer nothing (default: 60s)',
    ),
    duration('--headers-timeout <duration>', 'VARVE_HEADERS_TIMEOUT', 'how long headers may take (default: 10s)'),
    new Option(
      '--address-rate <rate>',
      'requests per second of one address, with a burst: 50 or 50/200 (default: no limit)',
    )
      .env('VARVE_ADDRESS_RATE')
      .argParser(parseRate),
    new Option('--identity-rate <rate>', 'requests per second of one identity, with a burst (default: no limit)')
      .env('VARVE_IDENTITY_RATE')
      .argParser(parseRate),
  ]
}

/** Options for a store that follows a replica. */
function followOptions(): readonly Option[] {
  return [
    new Option(
      '--follow <address>',
      'follow this replica and refuse writes, until varve promote makes it an ordinary store',
    )
      .env('VARVE_FOLLOW')
      .argParser(parseText),
    new Option('--follow-every <duration>', 'how often the replica is asked for what is new')
      .env('VARVE_FOLLOW_EVERY')
      .default(1000, '1s')
      .argParser(parseDuration),
  ]
}

/** Options of the served store. */
function storeOptions(): Option[] {
  return [
    new Option('--layout <layout>', 'what a new store is made of (default: level+files)')
      .env('VARVE_LAYOUT')
      .choices(layouts.map(({ name }) => name)),
    new Option('--workers <count>', 'processes that answer requests, for blobs that are files; 0 or 1: this one alone')
      .env('VARVE_WORKERS')
      .default(1)
      .argParser(parseWorkers),
    new Option(
      '--hashing-threads <count>',
      'threads for digests of large bodies (default: one less than processors, at most 4)',
    )
      .env('VARVE_HASHING_THREADS')
      .argParser(parseThreads),
    new Option('--retention <duration>', 'how long a new store keeps removed bytes, such as 7d (default: 30d)')
      .env('VARVE_RETENTION')
      .argParser(parseDuration),
    new Option('--grace <duration>', 'how long requests under way may take to finish when asked to stop')
      .env('VARVE_GRACE')
      .default(10_000, '10s')
      .argParser(parseDuration),
    new Option('--scrub <bytes>', 'look for damage in the background, reading so much a second, such as 10MiB')
      .env('VARVE_SCRUB')
      .argParser(parseBytes),
    new Option('--scrub-every <duration>', 'from the end of one look at everything to the beginning of the next')
      .env('VARVE_SCRUB_EVERY')
      .default(7 * 24 * 3_600_000, '7d')
      .argParser(parseDuration),
    new Option('--check <how>', 'how the files of the log are checked before they are opened')
      .env('VARVE_CHECK')
      .choices(fileChecks)
      .default('bytes'),
    new Option(
      '--witness <how>',
      "when the note of the log's end is written: soon after commits, or before each answer",
    )
      .env('VARVE_WITNESS')
      .choices(['trailing', 'synced'])
      .default('trailing'),
  ]
}

/** The replicas that are written. */
function replicaOptions(): Option[] {
  return [
    new Option(
      '--replicate <address>',
      'keep a replica at s3://BUCKET/PREFIX or in a directory; several with commas, or again',
    )
      .env('VARVE_REPLICATE')
      .argParser(parseAddresses),
    new Option('--replicate-every <duration>', 'how often replicas get what is new')
      .env('VARVE_REPLICATE_EVERY')
      .default(1000, '1s')
      .argParser(parseDuration),
    new Option(
      '--replicate-sync <how>',
      'acknowledge writes when the replicas have them; if they are too slow, refuse writes or continue without',
    )
      .env('VARVE_REPLICATE_SYNC')
      .choices(['refuse', 'continue']),
    new Option('--replicate-patience <duration>', 'how long a write waits for them')
      .env('VARVE_REPLICATE_PATIENCE')
      .default(10_000, '10s')
      .argParser(parseDuration),
    new Option('--replicate-pin <bytes>', 'how many bytes stay for a replica that is behind, after they were due to go')
      .env('VARVE_REPLICATE_PIN')
      .default(4 * 1024 ** 3, '4GiB')
      .argParser(parseBytes),
    new Option(
      '--replicate-keep <duration>',
      'how long replicas keep bytes that the store has erased (default: for ever)',
    )
      .env('VARVE_REPLICATE_KEEP')
      .argParser(parseDuration),
    new Option('--replicate-rate <bytes>', 'how many bytes a second go to each replica at most')
      .env('VARVE_REPLICATE_RATE')
      .argParser(parseBytes),
    new Option('--replicate-prove <duration>', 'how often it is proven that each replica can be restored')
      .env('VARVE_REPLICATE_PROVE')
      .argParser(parseDuration),
    new Option(
      '--replicate-views <count>',
      'after how many events the rows of the views are written too, for instant restores; 0: never',
    )
      .env('VARVE_REPLICATE_VIEWS')
      .default(100_000)
      .argParser(parseTotal),
    new Option('--replicate-encrypt', 'encrypt new replicas with the keyring, which must not be in the directory').env(
      'VARVE_REPLICATE_ENCRYPT',
    ),
    new Option('--replicate-take-over', 'write replicas that another store wrote, which is gone for good').env(
      'VARVE_REPLICATE_TAKE_OVER',
    ),
    ...followOptions(),
  ]
}
