/** Limits how many requests an address and an identity can make. */

import { shareOf } from '../addresses/share-of.ts'
import { S3Error } from '../errors/errors.ts'
import { type RateLimit, TokenBuckets } from './token-buckets.ts'

/** The limits of a server. */
export interface RateLimitOptions {
  /** For each address, whatever its requests are; for IPv6, each network of 64 bits. @default no limit */
  readonly address?: RateLimit
  /** For each identity, with all its access keys and sessions. @default no limit */
  readonly identity?: RateLimit
}

export class RateLimits {
  readonly #addresses: TokenBuckets | undefined
  readonly #identities: TokenBuckets | undefined

  constructor({ address, identity }: RateLimitOptions = {}) {
    this.#addresses = address && new TokenBuckets(address)
    this.#identities = identity && new TokenBuckets(identity)
  }

  /** Call it before anything of a request is read. @throws S3Error `SlowDown` */
  takeOfAddress(address: string | undefined): void {
    if (this.#addresses !== undefined) refuseAfter(this.#addresses.take(shareOf(address)))
  }

  /** Call it when the signature of a request was verified. @throws S3Error `SlowDown` */
  takeOfIdentity(id: string): void {
    if (this.#identities !== undefined) refuseAfter(this.#identities.take(id))
  }
}

function refuseAfter(waitMs: number | undefined): void {
  if (waitMs === undefined) return
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  throw new S3Error('SlowDown', 'Please reduce your request rate.', { headers: { 'retry-after': String(seconds) } })
}
