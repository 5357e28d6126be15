/** What servers and handlers need to know. */

import type { ServerOptions as TlsOptions } from 'node:https'
import type { RequestLog } from './exchange.ts'
import type { MinimumSpeed } from './minimum-speed.ts'
import type { ServiceOptions } from '../pipeline/service-options.ts'

/** Options of `createHandler`. */
export interface HandlerOptions extends ServiceOptions {
  /** Called with every request when it has ended. Its errors are ignored. */
  readonly log?: (entry: RequestLog) => void
  /** What a body must come in at, or `RequestTimeout`. @default 1 KiB/s over 30 s */
  readonly minimumSpeed?: MinimumSpeed
  /**
   * Addresses and ranges (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, for conditions
   * of policies and for the addresses that answers name. @default none
   */
  readonly trustedProxies?: readonly string[]
}

export interface LimitOptions extends HandlerOptions {
  /** Serve HTTPS. */
  readonly tls?: Pick<TlsOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase' | 'minVersion'>
  /** With so many, a new one takes the place of an idle one of the address that has the most. @default 10_000 */
  readonly connectionsMax?: number
  /** The answer to the last of them says `connection: close`; further requests get 503. @default 100_000 */
  readonly requestsPerConnectionMax?: number
  /** For a request's head to be complete, in milliseconds. @default 10_000 */
  readonly headersTimeoutMs?: number
  /** Without a byte in either direction, in milliseconds. @default 60_000 */
  readonly idleTimeoutMs?: number
  /** Between two requests, in milliseconds. @default 65_000 */
  readonly keepAliveTimeoutMs?: number
}

/** Options of `serve`: those of a handler, the address and the limits of connections. */
export interface ServeOptions extends LimitOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  /** 0 takes any that is free. @default 9000 */
  readonly port?: number
}
