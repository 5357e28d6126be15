/** `--endpoint`: the store of a server, instead of one in a directory. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ControlClient } from '../../control/control-client.ts'
import { type EndpointKeys, endpointTransport } from '../../control/endpoint-transport.ts'
import { type RemoteStore, remoteStore } from './remote-store.ts'
import { identitiesFromEnvironment } from '../../http.ts'
import { UsageError } from './exit-codes.ts'
import { readOnlyOption, type StoreCommandOptions, storeCommand } from './store-command.ts'

/** Options of commands that can use the store of a server. */
export interface ReachingOptions extends StoreCommandOptions {
  readonly endpoint?: URL
}

/** Options of commands that only read. */
export interface ReadingOptions extends ReachingOptions {
  readonly readOnly?: boolean
}

const endpointOption = (): Option =>
  new Option('--endpoint <url>', 'use the store of this server, with the keys in VARVE_ACCESS_KEY_ID and so on')
    .env('VARVE_ENDPOINT')
    .argParser(parseEndpoint)

export const reachingCommand = (name: string, description: string): Command =>
  storeCommand(name, description).addOption(endpointOption())

export const readingCommand = (name: string, description: string): Command =>
  storeCommand(name, description).addOption(endpointOption()).addOption(readOnlyOption().conflicts('endpoint'))

/** @throws UsageError without keys; StorageError `InvalidArgument` for half a pair */
export const storeAt = (endpoint: URL): RemoteStore => remoteStore(clientAt(endpoint))

/** @throws as `storeAt` */
export const clientAt = (endpoint: URL): ControlClient =>
  new ControlClient(endpointTransport(endpoint, keysIn(process.env)))

function keysIn(env: NodeJS.ProcessEnv): EndpointKeys {
  const [own] = identitiesFromEnvironment(env)
  if (own !== undefined) return own
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env
  if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey }
  throw new UsageError('--endpoint needs keys.', {
    hint: 'Set `VARVE_ACCESS_KEY_ID` and `VARVE_SECRET_ACCESS_KEY`, or `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
  })
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/** @throws InvalidArgumentError */
export function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url !== undefined && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (isPlain && /^https?:$/.test(url.protocol)) return url
  throw new InvalidArgumentError('An endpoint is a URL such as http://127.0.0.1:9000.')
}
