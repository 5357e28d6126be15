/** One session of a client: an actor of its own, in one bucket. */
import { randomBytes } from 'node:crypto'
import { type Actor, type BucketInfo, type Seq, StorageError } from '@varve/core'
import { type SessionLimits, Spending } from './limits.ts'
import { Plans } from './plans.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { StoreAccess } from './store-access.ts'
import type { WorkspaceStore } from './workspace-store.ts'

export interface SessionSettings {
  readonly bucket: string
  readonly prefix: string
  readonly readOnly: boolean
  /** The session works in a fork of the bucket that is made when it begins. */
  readonly fork: boolean
  readonly limits: SessionLimits
  /** A command of `varve` on the store of the session, for a person to type: with the name of the program, and where the store is. */
  readonly commandLine?: (line: string) => string
}

/** The bucket that a session works in, and the position that its changes are compared with. */
export interface Workspace {
  readonly bucket: string
  /** The position of its creation: another bucket may have had its name before. */
  readonly created: Seq
  readonly from: Seq
  /** The bucket that it was forked from by this session. */
  readonly base?: string
}

export class Session {
  readonly actor: Actor
  readonly settings: SessionSettings
  readonly scope: Scope
  readonly spending: Spending
  readonly plans = new Plans()
  workspace: Workspace
  readonly #access: StoreAccess

  constructor(actor: Actor, settings: SessionSettings, from: { readonly access: StoreAccess; workspace: Workspace }) {
    this.actor = actor
    this.settings = settings
    this.scope = scopeOf(settings.prefix)
    this.spending = new Spending(settings.limits)
    this.workspace = from.workspace
    this.#access = from.access
  }

  /** The store as this session uses it. All events of one call have its request id. */
  async store(requestId: string): Promise<WorkspaceStore> {
    return (await this.#access.current()).as({ by: this.actor, requestId })
  }

  /** Notes what a call failed with. */
  failed(error: unknown): void {
    this.#access.failed(error)
  }
}

const shortId = (): string => randomBytes(4).toString('hex')

/** The client's own name, of which the log gets only what is safe to show and to type. */
function actorOf(client: string, id: string): Actor {
  const name = client
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32)
  const shown = name === '' ? 'client' : name
  return { id: `mcp:${shown}:${id}`, name: `MCP ${shown} ${id}` }
}

/** @param client How the client names itself. @throws what making the bucket or the fork throws */
export async function beginSession(access: StoreAccess, settings: SessionSettings, client: string): Promise<Session> {
  const id = shortId()
  const store = await access.current()
  const { bucket } = settings
  const found = await workspaceBucket(store, settings)
  const base: Workspace = { bucket, created: found.seq, from: await store.position() }
  const workspace = settings.fork ? await forkOf(store, base, id) : base
  return new Session(actorOf(client, id), settings, { access, workspace })
}

/** The bucket, which is made with versioning if it is not there. */
const workspaceBucket = ({ buckets }: WorkspaceStore, { bucket, readOnly }: SessionSettings): Promise<BucketInfo> =>
  readOnly ? buckets.head(bucket) : buckets.ensure(bucket, { versioning: 'Enabled' })

/** A bucket may have a name of 63 characters. */
const baseMax = 63 - '-mcp-01234567'.length

export async function forkOf(store: WorkspaceStore, { bucket }: Workspace, id = shortId()): Promise<Workspace> {
  const name = `${bucket.slice(0, baseMax).replace(/[.-]+$/, '')}-mcp-${id}`
  const { seq, base } = await store.buckets.fork(bucket, name)
  if (base === undefined) throw new StorageError('InternalError', 'The fork has no base.')
  return { bucket: name, created: seq, from: await store.position(), base: bucket }
}
