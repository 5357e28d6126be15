/** A complete server: it listens, sets limits, and lets requests finish on close. */

import type { Store } from '@varve/core'
import type { Identity } from '../access/identity.ts'
import { rootAmong } from '../access/root-among.ts'
import type { Sessions } from '../credentials/identity-directory.ts'
import { checkServeOptions, graceOf } from './checked-options.ts'
import { limitedServer } from './limited-server.ts'
import type { ServeOptions, TlsMaterial } from './server-options.ts'
import { listenAt } from './listen.ts'
import { urlOf } from './url-of.ts'

/** A server that listens. */
export interface RunningServer {
  /** `http://127.0.0.1:9000` */
  readonly url: string
  readonly port: number
  /**
   * Accepts no more connections, lets requests in progress finish for `graceMs` (default 10 s), then ends them. The
   * store stays open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
  /**
   * Uses other keys and certificates for connections that begin later. Open connections go on.
   * @throws StorageError `InvalidArgument` if they do not fit together, or the server began without `tls`; it then goes on with
   *   what it has
   */
  replaceTls(tls: TlsMaterial): void
  /**
   * Uses these identities from now on, and gives temporary credentials if `sessions` is there. Requests in progress of an access key that is gone, or whose policy is another one, end after
   * half a second at the latest.
   * @throws StorageError `InvalidArgument` for what are no identities with different access keys
   */
  replaceIdentities(identities: readonly Identity[], sessions?: Sessions): void
}

/** @throws what listening throws (`EADDRINUSE`), StorageError `InvalidArgument` for invalid options */
export async function serve(given: ServeOptions): Promise<RunningServer> {
  const options = checkServeOptions(given)
  const { host = '127.0.0.1', tls } = options
  const { server, stop, replaceTls, replaceIdentities } = limitedServer(options)
  const at = await listenAt(server, { host, port: options.port ?? 9000, fd: options.fd })
  const operator = operatorsOf(options)?.add()
  operator?.is(rootAmong(options.identities))
  let closing: Promise<void> | undefined
  return {
    url: urlOf(tls === undefined ? 'http' : 'https', at.host, at.port),
    port: at.port,
    async close(how) {
      const graceMs = graceOf(how)
      operator?.end()
      await (closing ??= stop(graceMs))
    },
    replaceTls,
    replaceIdentities(identities, sessions) {
      replaceIdentities(identities, sessions)
      operator?.is(rootAmong(identities))
    },
  }
}

/** Absent for a store whose log is in no engine of this process. */
function operatorsOf({ controlStore, store }: ServeOptions): Store['owner']['operators'] | undefined {
  const found = controlStore?.() ?? store
  return 'owner' in found ? (found as Store).owner.operators : undefined
}
