/** The metrics of a server, as its options ask for them. */
import type { Metrics, MetricsOptions } from '../../metrics.ts'
import { readTextFile, unusableFile } from '../support/read-text-file.ts'

export interface MetricsSettings {
  readonly metrics?: boolean
  /** The path of a file that has the bearer token. */
  readonly metricsTokenFile?: string
}

/** Metrics whose token can be replaced while they are served. */
export interface ServingMetrics extends Metrics {
  token?: string
}

/** `undefined` if no metrics are asked for. @throws StorageError `InvalidArgument` for a file without a token */
export async function servingMetrics(
  { metrics = false, metricsTokenFile }: MetricsSettings,
  measured: Pick<MetricsOptions, 'store' | 'node'>,
): Promise<ServingMetrics | undefined> {
  if (!metrics && metricsTokenFile === undefined) return undefined
  const token = metricsTokenFile === undefined ? {} : { token: await metricsTokenIn(metricsTokenFile) }
  // Imported here, so that servers without metrics do not load what collects them.
  const { createMetrics } = await import('../../metrics.ts')
  return { ...createMetrics(measured), ...token }
}

/** @throws StorageError `InvalidArgument` */
export async function metricsTokenIn(path: string): Promise<string> {
  const text = await readTextFile(path)
  const token = text.trim()
  if (!/^[\x21-\x7e]{16,}$/.test(token)) {
    throw unusableFile(`${path} must have a token of at least 16 characters without spaces.`)
  }
  return token
}
