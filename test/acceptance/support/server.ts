/**
 * A real server over a real store in a directory of its own, and the identities that may send requests. Tests learn
 * everything else over the wire.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'varve'
import { createIdentity, parsePolicy, serve } from 'varve/http'
import { openGiven } from '../../layouts/layout-parts.ts'
import { credentialsOf, type ServerOptions, type TestServer } from './test-server.ts'
import { startWorkers } from './workers.ts'

export type { ServerOptions, Statement, TestServer } from './test-server.ts'

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const workers = Number(process.env['VARVE_ACCEPTANCE_WORKERS'] ?? 0)
  // These options work only with a server in this process, so such a server gets them.
  if (workers > 0 && !options.wrap && !options.store && !options.serve) return startWorkers(workers, options)
  const { dialect = 'neutral', policies = {}, wrap = (store: Store) => store } = options
  const scratch = await mkdtemp(join(tmpdir(), 'varve-acceptance-'))
  const dir = join(scratch, 'store')
  const store = await openGiven(dir, options.store)
  const names = ['root', 'ann', 'bob', ...Object.keys(policies)]
  const known = new Map(names.map((name) => [name, credentialsOf(name)]))
  const identities = names.map((name) => {
    const Statement = policies[name]
    return createIdentity({
      name,
      ...credentialsOf(name),
      root: name === 'root',
      ...(Statement && { policy: parsePolicy({ Version: '2012-10-17', Statement }) }),
    })
  })
  const server = await serve({ ...options.serve, store: wrap(store), identities, dialect, port: 0 })
  return {
    port: server.port,
    host: `127.0.0.1:${server.port}`,
    dir,
    credentials(who) {
      const found = known.get(who)
      if (found === undefined) throw new TypeError(`There is no ${who}.`)
      return found
    },
    async stop() {
      await server.close({ graceMs: 500 })
      await store.close()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}
