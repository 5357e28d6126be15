/** What a server reports to OpenTelemetry, as its options ask for it. */
import { type Observer, StorageError } from '@varve/core'
import type { Telemetry } from '../../opentelemetry.ts'

export interface TelemetrySettings {
  /** The SDK is registered by a module of the operator. */
  readonly opentelemetry?: boolean
}

/** `undefined` if it is not asked for. @throws StorageError `InvalidArgument` if `@opentelemetry/api` is not installed */
export async function servingTelemetry({ opentelemetry = false }: TelemetrySettings): Promise<Telemetry | undefined> {
  if (!opentelemetry) return undefined
  try {
    // Imported here, so that servers without it do not load its API.
    const { createTelemetry } = await import('../../opentelemetry.ts')
    return createTelemetry()
  } catch (cause) {
    throw new StorageError('InvalidArgument', '--opentelemetry needs the package @opentelemetry/api.', {
      hint: 'Run `npm install @opentelemetry/api` beside varve.',
      cause,
    })
  }
}

type Observing = { readonly observer: Observer } | undefined

/** The observers of a store as one. */
export function observing(one: Observing, other: Observing): { readonly observer?: Observer } {
  if (one === undefined || other === undefined) {
    const only = one ?? other
    return only === undefined ? {} : { observer: only.observer }
  }
  const [first, second] = [one.observer, other.observer]
  return {
    observer: {
      commit: (seen) => [first.commit?.(seen), second.commit?.(seen)],
      sync: (seen) => [first.sync?.(seen), second.sync?.(seen)],
      job: (seen) => [first.job?.(seen), second.job?.(seen)],
      cache: (seen) => [first.cache?.(seen), second.cache?.(seen)],
      queue: (seen) => [first.queue?.(seen), second.queue?.(seen)],
      connections: (seen) => [first.connections?.(seen), second.connections?.(seen)],
    },
  }
}
