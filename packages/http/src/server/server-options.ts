/** Options of servers and handlers. */

import type { ServerOptions as TlsOptions } from 'node:https'
import type { AccessLog } from '../access-log/collect-access.ts'
import type { RequestLog } from '../contract/request-log.ts'
import type { MinimumSpeed } from './minimum-speed.ts'
import type { ServiceOptions } from '../pipeline/service-options.ts'

/** Options of `createHandler`. */
export interface HandlerOptions extends ServiceOptions {
  /** Called for every request after it has ended. Errors of the callback are ignored. */
  readonly log?: (entry: RequestLog) => void
  /** Receives the requests of buckets that have access logs. `varve/http` delivers them. @default there are no access logs */
  readonly accessLog?: AccessLog
  /** The minimum speed of a request body; a slower one gets `RequestTimeout`. @default 1 KiB/s over 30 s */
  readonly minimumSpeed?: MinimumSpeed
  /**
   * Addresses and ranges (`10.0.0.0/8`) of trusted proxies. Their `X-Forwarded-For` and `X-Forwarded-Proto` are used
   * for conditions of policies and for the addresses in answers. @default none
   */
  readonly trustedProxies?: readonly string[]
}

/** Keys and certificates, as Node takes them. */
export type TlsMaterial = Pick<TlsOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase' | 'minVersion'>

export interface LimitOptions extends HandlerOptions {
  /** Serve HTTPS. */
  readonly tls?: TlsMaterial
  /**
   * The most connections. At this number, a new connection replaces an idle one of the address that has the most.
   * @default 10_000
   */
  readonly connectionsMax?: number
  /**
   * The most requests on a connection. The last answer says `Connection: close`; further requests get 503. @default
   * 100_000
   */
  readonly requestsPerConnectionMax?: number
  /** The time in which the head of a request must be complete, in milliseconds. @default 10_000 */
  readonly headersTimeoutMs?: number
  /** How long a connection may transfer no byte in either direction, in milliseconds. @default 60_000 */
  readonly idleTimeoutMs?: number
  /** How long a connection may stay open between two requests, in milliseconds. @default 65_000 */
  readonly keepAliveTimeoutMs?: number
}

/** Options of `serve`: those of a handler, the address and the limits of connections. */
export interface ServeOptions extends LimitOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  /** 0 chooses any free port. @default 9000 */
  readonly port?: number
  /** The descriptor of a TCP socket that listens already, such as one of systemd: `host` and `port` have no effect. */
  readonly fd?: number
}

/** The address of a listener. */
export interface ListenerOptions extends Pick<ServeOptions, 'host' | 'port' | 'fd'> {
  /** What the servers speak. @default 'http' */
  readonly scheme?: 'http' | 'https'
}
