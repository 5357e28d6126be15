/** A bucket with a past that the present does not show any more. */
import type { TestService } from '../../acceptance/support/test-service.ts'
import { expectStatus } from '../../acceptance/support/test-service.ts'

/** In everything that the past alone has: contents, keys, metadata and tags. */
export const secret = 'only-the-past-has-this'

export interface PastBucket {
  readonly name: string
  /** The position of the past. */
  readonly seq: number
  /** A time at that position, as bucket names have it. */
  readonly time: string
  /** A version of `k` that was removed since. */
  readonly removed: string
  /** The bucket as it was. */
  readonly at: string
}

const tagging = `<Tagging><TagSet><Tag><Key>stage</Key><Value>${secret}</Value></Tag></TagSet></Tagging>`
const website = '<WebsiteConfiguration><IndexDocument><Suffix>k</Suffix></IndexDocument></WebsiteConfiguration>'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Ann owns it. `statements` are its policy of today. */
export async function pastBucket(
  { ask, setVersioning }: TestService,
  name: string,
  statements: readonly object[],
): Promise<PastBucket> {
  const change = async (line: string, status: number, more: object = {}) =>
    expectStatus(await ask(line, { as: 'ann', ...more }), status).headers
  await change(`PUT /${name}`, 200)
  await change(`DELETE /${name}?publicAccessBlock`, 204)
  await setVersioning(name, 'Enabled')
  const headers = { 'x-amz-meta-past': secret, 'x-amz-tagging': `past=${secret}` }
  const { 'x-amz-version-id': removed = '' } = await change(`PUT /${name}/k`, 200, { body: secret, headers })
  const { 'x-amz-version-id': gone } = await change(`PUT /${name}/dir/${secret}`, 200, { body: secret })
  await change(`PUT /${name}?website`, 200, { body: website })
  const seq = Number((await change(`PUT /${name}?tagging`, 204, { body: tagging }))['x-varve-seq'])
  await pause(5)
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '').toLowerCase()
  await pause(5)
  await change(`DELETE /${name}?tagging`, 204)
  await change(`DELETE /${name}/dir/${secret}?versionId=${gone}`, 204)
  await change(`DELETE /${name}/k?versionId=${removed}`, 204)
  await change(`PUT /${name}/k`, 200, { body: 'now' })
  if (statements.length > 0) await change(`PUT /${name}?policy`, 204, { body: policyOf(name, statements) })
  return { name, seq, time, removed, at: `${name}--at-${seq}` }
}

export function policyOf(bucket: string, statements: readonly object[]): string {
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`]
  const Statement = statements.map((statement) => ({ Effect: 'Allow', Principal: '*', Resource, ...statement }))
  return JSON.stringify({ Version: '2012-10-17', Statement })
}
