/** The metrics of a worker: it reports what it measures to the owner, and asks the owner for the metrics of all. */
import type { Observer, RequestObservation } from '@varve/core'
import type { MetricsSource } from '@varve/http'
import type { FromWorker, ToWorker, WorkerSettings } from './control-messages.ts'
import { errorOf } from './plain-error.ts'

const everyMs = 250
/** Also reported when there are so many. */
const batchMax = 1000

type Answer = Extract<ToWorker, { readonly kind: 'metrics' }>
type Settle = (answer: Answer) => void

export class WorkerMetrics {
  readonly observer: Observer
  readonly source: MetricsSource & { token?: string }
  readonly #report: (message: FromWorker) => Promise<void>
  readonly #timer: NodeJS.Timeout
  readonly #waiting = new Map<number, Settle>()
  #requests: RequestObservation[] = []
  #turns = 0
  #connections = 0
  /** What was reported last. */
  #reported = 0
  #lastId = 0

  constructor(settings: NonNullable<WorkerSettings['metrics']>, report: (message: FromWorker) => Promise<void>) {
    this.#report = report
    this.observer = {
      request: (observation) => {
        if (this.#requests.push(observation) >= batchMax) void this.flush()
      },
      queue: ({ name, depth }) => {
        if (name === 'turns') this.#turns = depth
      },
      connections: ({ open }) => {
        this.#connections = open
      },
    }
    this.source = { ...settings, text: () => this.#text() }
    this.#timer = setInterval(() => void this.flush(), everyMs).unref()
  }

  async flush(): Promise<void> {
    const requests = this.#requests
    const connections = this.#connections
    if (requests.length === 0 && connections === this.#reported) return
    this.#requests = []
    this.#reported = connections
    await this.#report({ kind: 'observed', requests, turns: this.#turns, connections })
  }

  replaceToken(token: string | undefined): void {
    if (token !== undefined) this.source.token = token
  }

  answer(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** What this worker has measured arrives there before the request. */
  async #text(): Promise<string> {
    await this.flush()
    const id = ++this.#lastId
    const answer = await new Promise<Answer>((resolve) => {
      this.#waiting.set(id, resolve)
      void this.#report({ kind: 'metrics', id })
    })
    if ('error' in answer) throw errorOf(answer.error)
    return answer.text
  }
}
