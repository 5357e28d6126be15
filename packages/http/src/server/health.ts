import type { Answer } from '../contract/answer.ts'
import type { Service } from '../pipeline/service-options.ts'

/** No bucket can have this name. */
const path = '/-/health'

/** For monitoring: 200 while the store accepts writes, 503 when it does not. Needs no credentials. */
export function healthAnswer({ store }: Service, method: string, rawUrl: string): Answer | undefined {
  if (rawUrl !== path || (method !== 'GET' && method !== 'HEAD')) return undefined
  return {
    status: store.state === 'open' ? 200 : 503,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ state: store.state, ...failureOf(store), ...clockOf(store) }),
  }
}

/** The code only: a message could have an address. */
const failureOf = ({ failureCode }: Service['store']): object =>
  failureCode === undefined ? {} : { code: failureCode }

/** The state of a clock that is in doubt: see `ClockStatus`. Only the owner's process knows it. */
function clockOf({ state, clock }: Service['store']): object {
  if (state === 'closed') return {}
  const status = clock?.status()
  if (status === undefined || status.state === 'plausible') return {}
  return { clock: status.state, clockAheadMs: status.aheadMs, clockWaitingMs: status.waitingMs }
}
