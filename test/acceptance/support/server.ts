/**
 * A real server over a real store in a directory of its own, and the identities that may ask it. Everything else about it
 * is learned over the wire.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type OpenStoreOptions, type VarveStore } from 'varve'
import { createIdentity, parsePolicy, serve, type ServeOptions } from 'varve/http'

/** A statement of an identity's policy, as JSON has it; `Version` is added. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
}

export interface ServerOptions {
  /** @default 'neutral' */
  readonly dialect?: 'neutral' | 'aws'
  /** Identities besides `root`, `ann` and `bob` (who have no policy and so own what they create), by name. */
  readonly policies?: Readonly<Record<string, readonly Statement[]>>
  readonly serve?: Omit<Partial<ServeOptions>, 'store' | 'identities' | 'dialect'>
  readonly store?: OpenStoreOptions
  /** Puts something between the server and its store: a delay, a failure. */
  readonly wrap?: (store: VarveStore) => VarveStore
}

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface TestServer {
  readonly port: number
  /** What goes into the Host header. */
  readonly host: string
  /** The store's directory. */
  readonly dir: string
  /** @throws TypeError for someone who does not exist */
  credentials(who: string): Credentials
  /** Ends the server, closes the store and removes its directory. */
  stop(): Promise<void>
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const { dialect = 'neutral', policies = {}, wrap = (store: VarveStore) => store } = options
  const scratch = await mkdtemp(join(tmpdir(), 'varve-acceptance-'))
  const dir = join(scratch, 'store')
  const store = await openStore(dir, options.store)
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

/** What a test identity signs with. */
export function credentialsOf(name: string): Credentials {
  return { accessKeyId: `AK-${name}`, secretAccessKey: `the-secret-of-${name}` }
}
