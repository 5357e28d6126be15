import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRegionalClient, loadSdk } from './s3-sdk.ts'

const options = { forcePathStyle: true, connections: 1, timeoutMs: 1000 }

async function regionOf(given: { readonly region?: string } = {}): Promise<string> {
  const client = await createRegionalClient(await loadSdk(), { ...options, ...given })
  const region = await client.config.region()
  client.destroy()
  return region
}

describe('the region of a bucket', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null')
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null')
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
  })
  afterEach(() => vi.unstubAllEnvs())

  it('is us-east-1 if nothing sets one', async () => {
    expect(await regionOf()).toBe('us-east-1')
  })

  it('is the one that is given, or else that of the environment', async () => {
    vi.stubEnv('AWS_DEFAULT_REGION', 'eu-west-2')
    expect(await regionOf()).toBe('eu-west-2')
    vi.stubEnv('AWS_REGION', 'eu-west-1')
    expect(await regionOf()).toBe('eu-west-1')
    expect(await regionOf({ region: 'eu' })).toBe('eu')
  })
})
