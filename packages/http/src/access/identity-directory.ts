/** The identities of a running server, which can be replaced, and the requests in progress of each. */
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../contract/operation.ts'
import { type People, peopleOf } from './grantees.ts'
import type { Identity } from './identity.ts'

/**
 * How long requests of a key that was revoked, or whose policy was replaced, may still take, in milliseconds. Most end by
 * themselves, and so does the request that replaced it.
 */
const graceMs = 500

interface InProgress {
  readonly identity: Identity
  readonly client: Client
}

export class IdentityDirectory {
  #byKey: ReadonlyMap<string, Identity>
  #people: People
  readonly #inProgress = new Set<InProgress>()

  readonly #findOther: ((accessKeyId: string) => Identity | undefined) | undefined

  /** `findOther` finds identities that are in no list: those of a test kit. */
  constructor(identities: readonly Identity[], findOther?: (accessKeyId: string) => Identity | undefined) {
    this.#findOther = findOther
    this.#byKey = byKeyOf(identities)
    this.#people = peopleOf(identities)
  }

  find(accessKeyId: string): Identity | undefined {
    return this.#byKey.get(accessKeyId) ?? this.#findOther?.(accessKeyId)
  }

  /** Those of any moment: they follow the replacements. */
  readonly people: People = {
    byId: (id) => this.#people.byId(id),
    byEmail: (email) => this.#people.byEmail(email),
    nameOf: (known) => this.#people.nameOf(known),
  }

  /** Remembers a request of an identity until it is over. */
  begin(identity: Identity, client: Client): void {
    const request = { identity, client }
    this.#inProgress.add(request)
    client.onOver(() => this.#inProgress.delete(request))
    // The credentials of a form may have been verified before they were replaced.
    if (!this.#isCurrent(identity)) this.#endSoon([request])
  }

  /**
   * From now on these are the identities. Requests in progress of an access key that is gone, or that may do something
   * else now, are ended after a short grace: their clients try again.
   */
  replace(identities: readonly Identity[]): void {
    const unchanged = (identity: Identity): Identity => {
      const before = this.#byKey.get(identity.accessKeyId)
      return before !== undefined && isSame(before, identity) ? before : identity
    }
    const current = identities.map(unchanged)
    this.#byKey = byKeyOf(current)
    this.#people = peopleOf(current)
    const outdated = [...this.#inProgress].filter(({ identity }) => !this.#isCurrent(identity))
    if (outdated.length > 0) this.#endSoon(outdated)
  }

  #endSoon(requests: readonly InProgress[]): void {
    const end = (): void => {
      for (const request of requests) if (this.#inProgress.has(request)) request.client.disconnect?.()
    }
    setTimeout(end, graceMs).unref()
  }

  #isCurrent(identity: Identity): boolean {
    const listed = this.#byKey.get(identity.accessKeyId)
    return listed === undefined ? this.#findOther?.(identity.accessKeyId) !== undefined : listed === identity
  }
}

const byKeyOf = (identities: readonly Identity[]): ReadonlyMap<string, Identity> =>
  new Map(identities.map((identity) => [identity.accessKeyId, identity]))

const isSame = (one: Identity, other: Identity): boolean =>
  one.secretAccessKey === other.secretAccessKey && isDeepStrictEqual({ ...one }, { ...other })
