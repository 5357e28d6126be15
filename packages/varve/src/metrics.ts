/** Metrics of a store and its server for Prometheus: `varve/metrics`. @module */
import { type Observer, schema, type Store } from '@varve/core'
import type { MetricsSource } from '@varve/http'
import { collectDefaultMetrics, type OpenMetricsContentType, Registry } from 'prom-client'
import { metricMaker } from './metrics/metric-maker.ts'
import { type MeasuredNode, nodeGauges } from './metrics/node-gauges.ts'
import { observedMetrics } from './metrics/observed-metrics.ts'
import { storeGauges } from './metrics/store-gauges.ts'

export type { MeasuredNode } from './metrics/node-gauges.ts'

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /** Returns the store that is open now, for its bytes, jobs and subscriptions. @default these are not measured */
  readonly store?: () => Store | undefined
  /** Returns the node that this server is, for its name and its database. @default these are not measured */
  readonly node?: () => MeasuredNode | undefined
  /** Also measure the process: memory, processor time, the delay of the event loop, files. @default true */
  readonly process?: boolean
}

/** Metrics that are collected in this process. */
export interface Metrics extends MetricsSource {
  /** For the option `observer` of stores and servers. */
  readonly observer: Observer
  /** Counts damage, for `onDivergence` of scrubbing: `({ kind }) => metrics.damage(kind)`. */
  damage(code: string): void
}

const metricsOptions = schema.object<MetricsOptions>({
  store: schema.optional(schema.callable<NonNullable<MetricsOptions['store']>>()),
  node: schema.optional(schema.callable<NonNullable<MetricsOptions['node']>>()),
  process: schema.optional(schema.boolean),
})

const damageCode = schema.text({ min: 1, max: 64 })

/** Metrics in the form of OpenMetrics. @throws StorageError `InvalidArgument` for invalid options */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const {
    store,
    node = () => undefined,
    process: ofProcess = true,
  } = schema.checked('options', metricsOptions, options)
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  const make = metricMaker(registry)
  const observer = observedMetrics(make)
  const damage = make.counter('damage_found_total', 'Damage that scrubbing found, by its code; once in each pass.', [
    'code',
  ])
  if (ofProcess) collectDefaultMetrics({ register: registry })
  const measureStore = store && storeGauges(make, store)
  const measureNode = nodeGauges(make, node)
  return {
    observer,
    damage: (code) => damage.inc({ code: schema.checked('code', damageCode, code) }),
    contentType: registry.contentType,
    async text() {
      await measureStore?.()
      measureNode()
      return registry.metrics()
    },
  }
}
