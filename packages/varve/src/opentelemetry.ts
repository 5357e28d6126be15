/** Traces and metrics for OpenTelemetry: `varve/opentelemetry`. It needs `@opentelemetry/api`. @module */
import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api'
import { type Observer, schema } from '@varve/core'
import type { RequestTracing } from '@varve/http'
import { measuredObserver } from './opentelemetry/measured-observer.ts'
import { requestTracing } from './opentelemetry/request-tracing.ts'

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /** @default that of the SDK that the program has registered */
  readonly tracer?: Tracer
  /** @default that of the SDK that the program has registered */
  readonly meter?: Meter
}

/** What stores and servers report to OpenTelemetry. */
export interface Telemetry {
  /** For the option `observer` of stores. Servers report by `tracing` alone. */
  readonly observer: Observer
  /** For the option `tracing` of servers. */
  readonly tracing: RequestTracing
}

const { checked, implementing, object, optional } = schema

const telemetryOptions = object<TelemetryOptions>({
  tracer: optional(implementing<Tracer>('a tracer', ['startSpan'])),
  meter: optional(implementing<Meter>('a meter', ['createHistogram', 'createCounter', 'createGauge'])),
})

/** Without a registered SDK, nothing is recorded. @throws StorageError `InvalidArgument` for invalid options */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracer = trace.getTracer('varve'), meter = metrics.getMeter('varve') } = checked(
    'options',
    telemetryOptions,
    options,
  )
  return { observer: measuredObserver(tracer, meter), tracing: requestTracing(tracer, meter) }
}
