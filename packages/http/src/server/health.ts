/** Two questions of monitoring, which need no credentials. No bucket can have the names of their paths. */
import type { Answer } from '../contract/answer.ts'
import type { Service } from '../pipeline/service-options.ts'

type Health = Pick<Service, 'store' | 'node' | 'stopping'>

/**
 * `/-/alive`: 200 while the process answers at all. `/-/health`: 200 while requests should be sent here, else 503.
 * `undefined` for other requests.
 */
export function healthAnswer(service: Health, method: string, rawUrl: string): Answer | Promise<Answer> | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (rawUrl === '/-/alive') return answer(200, { alive: true })
  return rawUrl === '/-/health' ? readiness(service) : undefined
}

function readiness(service: Health): Answer | Promise<Answer> {
  const { store, node, stopping } = service
  const own = { state: store.state, ...failureOf(store), ...clockOf(store), ...(node && { node: node.name }) }
  if (stopping.signal.aborted || node?.isDraining === true) return answer(503, { ...own, stopping: true })
  if (store.state !== 'open') return answer(503, own)
  return node === undefined ? answer(200, own) : node.failing().then((failing) => ofParts(own, failing))
}

const ofParts = (own: object, failing: object | undefined): Answer =>
  failing === undefined ? answer(200, own) : answer(503, { ...own, ...failing })

const answer = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})

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
