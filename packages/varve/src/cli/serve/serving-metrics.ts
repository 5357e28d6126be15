/** The metrics of a server, as its options ask for them. */
import { readFile } from 'node:fs/promises'
import { type Store, StorageError } from '@varve/core'
import type { Metrics } from '../../metrics.ts'

export interface MetricsSettings {
  readonly metrics?: boolean
  /** The path of a file that has the bearer token. */
  readonly metricsTokenFile?: string
}

/** `undefined` if no metrics are asked for. @throws StorageError `InvalidArgument` for a file without a token */
export async function servingMetrics(
  { metrics = false, metricsTokenFile }: MetricsSettings,
  store: () => Store | undefined,
): Promise<Metrics | undefined> {
  if (!metrics && metricsTokenFile === undefined) return undefined
  const token = metricsTokenFile === undefined ? {} : { token: await tokenIn(metricsTokenFile) }
  // Imported here, so that servers without metrics do not load what collects them.
  const { createMetrics } = await import('../../metrics.ts')
  return { ...createMetrics({ store }), ...token }
}

async function tokenIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw unusable(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  })
  const token = text.trim()
  if (!/^[\x21-\x7e]{16,}$/.test(token)) {
    throw unusable(`${path} must have a token of at least 16 characters without spaces.`)
  }
  return token
}

const unusable = (message: string, cause?: unknown): StorageError =>
  new StorageError('InvalidArgument', message, { cause })
