/** The options of a server for tests, what is known about it, and the identities that may send requests. */
import type { OpenStoreOptions, Store } from 'varve'
import type { ServeOptions } from 'varve/http'

/** A statement of an identity's policy, as JSON has it; `Version` is added. */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: object
}

export interface ServerOptions {
  /** @default 'neutral' */
  readonly dialect?: 'neutral' | 'aws'
  /** Identities besides `root`, `ann` and `bob` (who have no policy and so own what they create), by name. */
  readonly policies?: Readonly<Record<string, readonly Statement[]>>
  readonly serve?: Omit<Partial<ServeOptions>, 'store' | 'identities' | 'dialect'>
  readonly store?: OpenStoreOptions
  /** Puts something between the server and its store: a delay, a failure. */
  readonly wrap?: (store: Store) => Store
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

/** What a test identity signs with. */
export function credentialsOf(name: string): Credentials {
  return { accessKeyId: `AK-${name}`, secretAccessKey: `the-secret-of-${name}` }
}
