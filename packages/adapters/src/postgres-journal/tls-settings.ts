/**
 * Which connections of a journal use TLS: by the address, by the option `ssl` of the connection, or by the environment. A connection
 * with TLS always verifies the certificate of the server and its name, unless a program switches this off in `ssl`.
 */
import { StorageError } from '@varve/core'

/** The paths of files in PEM form. */
export interface TlsFiles {
  /** The authorities that sign certificates of servers. @default those that Node knows */
  readonly sslrootcert?: string
  /** The certificate of this client, and its key. */
  readonly sslcert?: string
  readonly sslkey?: string
}

export interface TlsSettings {
  /** The address without the parameters of TLS. */
  readonly connectionString?: string
  /** The option `ssl` of pg. */
  readonly ssl: unknown
  /** The files of a connection whose TLS the address or the environment asks for. */
  readonly files?: TlsFiles
  readonly sslnegotiation?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Decides by the options of pg and by the variables of the environment.
 * @throws StorageError `InvalidArgument`: unknown or contradictory settings of TLS, or settings that do not verify the server
 */
export function tlsSettings(connection: Readonly<Record<string, unknown>>, env: Environment): TlsSettings {
  const { connectionString, ssl } = connection
  const unread = Object.keys(connection).find((name) => isOfTls(name) && name !== 'ssl' && name !== 'sslnegotiation')
  if (unread !== undefined)
    throw invalid('connection', `The option ${unread} has no effect: use ssl, or the parameter of the address.`)
  const { address, given } = typeof connectionString === 'string' ? taken(connectionString) : noAddress
  if (ssl === undefined) return settingsIn(address, given, env)
  if (given.size > 0) throw invalid('connection.ssl', 'The address and the option ssl both say how TLS is used.')
  if (typeof ssl === 'boolean' || (typeof ssl === 'object' && ssl !== null)) return { ssl }
  throw invalid('connection.ssl', 'The option ssl is true, false, or an object of options of TLS.')
}

type Parameters = ReadonlyMap<string, string>

function settingsIn(address: string | undefined, given: Parameters, env: Environment): TlsSettings {
  const sslnegotiation = given.get('sslnegotiation')
  const isWanted = modeIn(given, env) ?? (sslnegotiation === 'direct' || hasFiles(given))
  return {
    ssl: isWanted,
    ...(isWanted && { files: filesIn(given, env) }),
    ...(address !== undefined && { connectionString: address }),
    ...(sslnegotiation !== undefined && { sslnegotiation }),
  }
}

const fileNames = ['sslrootcert', 'sslcert', 'sslkey'] as const
const parameters: ReadonlySet<string> = new Set(['ssl', 'sslmode', 'sslnegotiation', ...fileNames])
const isOfTls = (name: string): boolean => /^(ssl|requiressl$|uselibpqcompat$)/i.test(name)
const hasFiles = (given: Parameters): boolean => fileNames.some((name) => given.has(name))
const noAddress = { address: undefined, given: new Map<string, string>() }

/** The parameters of TLS, and the address without them. Its other parts stay as they are, for pg. */
function taken(address: string): { readonly address: string; readonly given: Parameters } {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)\??([^#]*)(#.*)?$/s.exec(address) ?? []
  const given = new Map<string, string>()
  const others = query.split('&').filter((pair) => {
    const [[name = '', value = ''] = []] = new URLSearchParams(pair)
    if (!isOfTls(name)) return true
    if (!parameters.has(name)) throw invalid('connectionString', `The parameter ${name} of the address is not known.`)
    if (given.has(name)) throw invalid('connectionString', `The address has the parameter ${name} twice.`)
    given.set(name, value)
    return false
  })
  if (given.size === 0) return { address, given }
  return { address: before + (others.length > 0 ? `?${others.join('&')}` : '') + fragment, given }
}

/** `require` and `verify-ca` verify as much as `verify-full`: more than elsewhere, never less. */
const verifying = new Set(['require', 'verify-ca', 'verify-full', 'true', '1'])
const without = new Set(['disable', 'false', '0'])

/** Whether TLS is used; `undefined` if nothing says it. */
function modeIn(given: Parameters, env: Environment): boolean | undefined {
  const [ssl, sslmode, negotiation] = ['ssl', 'sslmode', 'sslnegotiation'].map((name) => given.get(name))
  if (ssl !== undefined && sslmode !== undefined)
    throw invalid('connectionString', 'The address has both ssl and sslmode.')
  if (negotiation !== undefined && negotiation !== 'direct' && negotiation !== 'postgres')
    throw invalid('connectionString', 'The parameter sslnegotiation of the address is postgres or direct.')
  const mode = ssl ?? sslmode
  if (mode !== undefined) return isVerifying(mode, ssl === undefined ? 'sslmode' : 'ssl')
  return hasFiles(given) || !env['PGSSLMODE'] ? undefined : isVerifying(env['PGSSLMODE'], 'PGSSLMODE')
}

function isVerifying(mode: string, name: string): boolean {
  if (verifying.has(mode)) return true
  if (without.has(mode)) return false
  const message = `${name} is verify-full, or disable for connections without TLS. Others may not verify the server.`
  throw invalid('connectionString', message)
}

function filesIn(given: Parameters, env: Environment): TlsFiles {
  const pathOf = (name: string): string | undefined => given.get(name) || env[`PG${name.toUpperCase()}`] || undefined
  const [sslrootcert, sslcert, sslkey] = fileNames.map(pathOf)
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw invalid('connectionString', 'A certificate of a client needs both sslcert and sslkey.')
  return {
    // As in libpq, this is no file.
    ...(sslrootcert !== undefined && sslrootcert !== 'system' && { sslrootcert }),
    ...(sslcert !== undefined && { sslcert }),
    ...(sslkey !== undefined && { sslkey }),
  }
}

/** Without the address itself, which could have a password. */
const invalid = (name: string, message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: `options.${name}` } })
