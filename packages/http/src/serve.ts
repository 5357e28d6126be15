/** The door as a server of its own: limits set, drained on close. */

import { limitedServer } from './server/limited-server.ts'
import type { LimitOptions } from './server/limited-server.ts'
import { listen } from './server/listen.ts'
import { urlOf } from './server/url-of.ts'

export interface ServeOptions extends LimitOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  /** 0 takes any that is free. @default 9000 */
  readonly port?: number
}

export interface RunningServer {
  /** `http://127.0.0.1:9000` */
  readonly url: string
  readonly port: number
  /**
   * Takes no more connections, lets what is under way finish for `graceMs` (default 10 s), then ends it. The store stays
   * open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** @throws what listening throws (`EADDRINUSE`), TypeError for options that cannot be. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', tls } = options
  const { server, stop } = limitedServer(options)
  const port = await listen(server, host, options.port ?? 9000)
  let closing: Promise<void> | undefined
  return {
    url: urlOf(tls === undefined ? 'http' : 'https', host, port),
    port,
    close: ({ graceMs = 10_000 } = {}) => (closing ??= stop(graceMs)),
  }
}
