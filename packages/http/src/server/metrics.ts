import { createHash, timingSafeEqual } from 'node:crypto'
import type { Answer } from '../contract/answer.ts'
import type { MetricsSource } from '../contract/metrics-source.ts'
import type { Service } from '../pipeline/service-options.ts'

/** No bucket can have this name. */
const path = '/-/metrics'

/** `undefined` for other requests. */
export function metricsAnswer(
  { metrics }: Pick<Service, 'metrics'>,
  {
    method,
    rawUrl,
    rawHeaders,
  }: { readonly method: string; readonly rawUrl: string; readonly rawHeaders: readonly string[] },
): Promise<Answer> | undefined {
  if (metrics === undefined || rawUrl !== path || (method !== 'GET' && method !== 'HEAD')) return undefined
  return answered(metrics, rawHeaders)
}

async function answered(metrics: MetricsSource, rawHeaders: readonly string[]): Promise<Answer> {
  const headers = { 'cache-control': 'no-store' }
  if (!isAllowed(metrics, rawHeaders)) return { status: 401, headers: { ...headers, 'www-authenticate': 'Bearer' } }
  return { status: 200, headers: { ...headers, 'content-type': metrics.contentType }, body: await metrics.text() }
}

function isAllowed({ token }: MetricsSource, rawHeaders: readonly string[]): boolean {
  if (token === undefined) return true
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization')
  const [, given] = /^Bearer +(\S+) *$/i.exec(rawHeaders[at + 1] ?? '') ?? []
  // Digests have the same length, so the comparison takes the same time for any token.
  return at !== -1 && given !== undefined && timingSafeEqual(digestOf(given), digestOf(token))
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
