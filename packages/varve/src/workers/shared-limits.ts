import type { RateLimit, RateLimitOptions } from '@varve/http'

/** The share of one worker: connections are distributed evenly among all of them. */
export function sharedLimits({ address, identity }: RateLimitOptions, workers: number): RateLimitOptions {
  const share = ({ perSecond, burst = Math.max(1, 2 * perSecond) }: RateLimit): RateLimit => ({
    perSecond: Math.max(0.001, perSecond / workers),
    burst: Math.max(1, Math.ceil(burst / workers)),
  })
  return { ...(address && { address: share(address) }), ...(identity && { identity: share(identity) }) }
}
