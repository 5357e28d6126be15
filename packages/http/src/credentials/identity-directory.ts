/** The identities and roles of a running server, which can be replaced, and the requests in progress of each. */
import { isDeepStrictEqual } from 'node:util'
import { Stays } from '@varve/core'
import type { Client } from '../contract/operation.ts'
import { type People, peopleOf } from '../access/grantees.ts'
import type { Identity } from '../access/identity.ts'
import type { Role } from '../access/role.ts'
import { sessionIdentity } from './session-identity.ts'
import { expiredToken, invalidToken } from '../sigv4/refusals.ts'
import { openSession, sealSession, type Session } from './session-token.ts'

/**
 * How long requests of a key that was revoked, or whose policy was replaced, may still take, in milliseconds. Most end by
 * themselves, and so does the request that replaced it.
 */
const graceMs = 500

/** What a server needs to give and accept temporary credentials. */
export interface Sessions {
  readonly roles: readonly Role[]
  /** 32 bytes in base64, the same for all servers of the store, and unknown to others. */
  readonly tokenKey: string
}

/** Opened tokens are kept: a client sends the same one with every request. */
const openedMax = 1000

interface InProgress {
  readonly identity: Identity
  readonly client: Client
  isOver: boolean
}

export class IdentityDirectory {
  #byKey: ReadonlyMap<string, Identity>
  #people: People
  #roles: readonly Role[] = []
  #tokenKey: Uint8Array | undefined
  /** Identities of temporary credentials, by their tokens. */
  readonly #opened = new Map<string, { readonly identity: Identity; readonly expiresAt: number }>()
  readonly #now: () => number
  readonly #inProgress = new Stays<InProgress>()

  readonly #findOther: ((accessKeyId: string) => Identity | undefined) | undefined

  /** `findOther` finds identities that are in no list: those of a test kit. */
  constructor(identities: readonly Identity[], { findOther, sessions, now = Date.now }: DirectoryOptions = {}) {
    this.#findOther = findOther
    this.#now = now
    this.#setSessions(sessions)
    this.#byKey = byKeyOf(identities)
    this.#people = peopleOf(identities)
  }

  /** @throws S3Error `ExpiredToken`; `InvalidToken` for temporary credentials whose token was not made here */
  find(accessKeyId: string, sessionToken?: string): Identity | undefined {
    const listed = this.#byKey.get(accessKeyId) ?? this.#findOther?.(accessKeyId)
    if (sessionToken === undefined || this.#tokenKey === undefined) return listed
    const { identity, expiresAt } = this.#opened.get(sessionToken) ?? this.#open(this.#tokenKey, sessionToken)
    if (identity?.accessKeyId !== accessKeyId) {
      if (listed !== undefined) return listed
      throw invalidToken()
    }
    // A key that was created with the id of a session does not take its place.
    if (expiresAt <= this.#now()) throw expiredToken()
    return identity
  }

  /** Whether this server gives temporary credentials. */
  get hasSessions(): boolean {
    return this.#tokenKey !== undefined
  }

  roleNamed(name: string): Role | undefined {
    return this.#roles.find((role) => role.name === name)
  }

  /** The token of a session. */
  seal(session: Session): string {
    if (this.#tokenKey === undefined) throw new Error('This server has no sessions.')
    return sealSession(this.#tokenKey, session)
  }

  /** Without an identity if the token was not made here, or what the session depends on is gone. */
  #open(key: Uint8Array, token: string): { readonly identity: Identity | undefined; readonly expiresAt: number } {
    const session = openSession(key, token)
    const parent = session && this.#byKey.get(session.parentKeyId)
    if (session === undefined || parent?.id !== session.parentId) return { identity: undefined, expiresAt: 0 }
    const role = session.role && this.#roles.find(({ id }) => id === session.role?.id)
    if (session.role !== undefined && role === undefined) return { identity: undefined, expiresAt: 0 }
    const opened = { identity: sessionIdentity(session, token, { parent, role }), expiresAt: session.expiresAt }
    if (this.#opened.size >= openedMax) this.#opened.clear()
    this.#opened.set(token, opened)
    return opened
  }

  #setSessions(sessions: Sessions | undefined): void {
    this.#opened.clear()
    this.#tokenKey = sessions && new Uint8Array(Buffer.from(sessions.tokenKey, 'base64'))
    const before = new Map(this.#roles.map((role) => [role.id, role]))
    this.#roles = (sessions?.roles ?? []).map((role) => {
      const known = before.get(role.id)
      return known !== undefined && isDeepStrictEqual(known, role) ? known : role
    })
  }

  /** Those of any moment: they follow the replacements. */
  readonly people: People = {
    byId: (id) => this.#people.byId(id),
    byEmail: (email) => this.#people.byEmail(email),
    nameOf: (known) => this.#people.nameOf(known),
  }

  /** Remembers a request of an identity until it is over. */
  begin(identity: Identity, client: Client): void {
    const request = { identity, client, isOver: false }
    const end = this.#inProgress.begin(request)
    client.onOver(() => {
      request.isOver = true
      end()
    })
    // The credentials of a form may have been verified before they were replaced.
    if (!this.#isCurrent(identity)) this.#endSoon([request])
  }

  /**
   * From now on these are the identities. Requests in progress of an access key that is gone, or that may do something
   * else now, are ended after a short grace: their clients try again.
   */
  replace(identities: readonly Identity[], sessions?: Sessions): void {
    const unchanged = (identity: Identity): Identity => {
      const before = this.#byKey.get(identity.accessKeyId)
      return before !== undefined && isSame(before, identity) ? before : identity
    }
    const current = identities.map(unchanged)
    this.#byKey = byKeyOf(current)
    this.#people = peopleOf(current)
    this.#setSessions(sessions)
    const outdated = [...this.#inProgress].filter(({ identity }) => !this.#isCurrent(identity))
    if (outdated.length > 0) this.#endSoon(outdated)
  }

  #endSoon(requests: readonly InProgress[]): void {
    const end = (): void => {
      for (const { isOver, client } of requests) if (!isOver) client.disconnect?.()
    }
    setTimeout(end, graceMs).unref()
  }

  #isCurrent(identity: Identity): boolean {
    const { session } = identity
    if (session !== undefined) {
      const { parent, role } = session
      return this.#isCurrent(parent) && (role === undefined || this.#roles.includes(role))
    }
    const listed = this.#byKey.get(identity.accessKeyId)
    return listed === undefined ? this.#findOther?.(identity.accessKeyId) !== undefined : listed === identity
  }
}

interface DirectoryOptions {
  readonly findOther?: (accessKeyId: string) => Identity | undefined
  /** Absent: there are no temporary credentials. */
  readonly sessions?: Sessions | undefined
  readonly now?: () => number
}

const byKeyOf = (identities: readonly Identity[]): ReadonlyMap<string, Identity> =>
  new Map(identities.map((identity) => [identity.accessKeyId, identity]))

const isSame = (one: Identity, other: Identity): boolean =>
  one.secretAccessKey === other.secretAccessKey && isDeepStrictEqual({ ...one }, { ...other })
