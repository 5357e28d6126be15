/** Makes metrics of one registry. Their names begin with `varve_`. */
import { Counter, Gauge, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client'

/** From 0.1 ms to 30 s. */
const seconds = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]

export interface MetricMaker {
  counter<L extends string>(name: string, help: string, labelNames?: readonly L[]): Counter<L>
  gauge<L extends string>(name: string, help: string, labelNames?: readonly L[]): Gauge<L>
  /** The buckets are those of seconds, if none are given. */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames?: readonly L[],
    buckets?: readonly number[],
  ): Histogram<L>
}

export function metricMaker(registry: Registry<OpenMetricsContentType>): MetricMaker {
  const common = <L extends string>(name: string, help: string, labelNames: readonly L[]) => ({
    name: `varve_${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  })
  return {
    counter: (name, help, labelNames = []) => new Counter(common(name, help, labelNames)),
    gauge: (name, help, labelNames = []) => new Gauge(common(name, help, labelNames)),
    histogram: (name, help, labelNames = [], buckets = seconds) =>
      new Histogram({ ...common(name, help, labelNames), buckets: [...buckets] }),
  }
}
