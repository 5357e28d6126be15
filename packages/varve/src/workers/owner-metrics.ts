/** The metrics of all workers and of the owner, in the owner's process. */
import type { Observer } from '@varve/core'
import type { MetricsSource } from '@varve/http'
import type { FromWorker } from './control-messages.ts'

type Observed = Extract<FromWorker, { readonly kind: 'observed' }>

export class OwnerMetrics {
  readonly #metrics: MetricsSource & { readonly observer: Observer }

  constructor(metrics: MetricsSource & { readonly observer: Observer }) {
    this.#metrics = metrics
  }

  observed({ requests, turns }: Observed): void {
    const { observer } = this.#metrics
    for (const request of requests) observer.request?.(request)
    observer.queue?.({ name: 'turns', depth: turns })
  }

  text(): Promise<string> {
    return this.#metrics.text()
  }
}
