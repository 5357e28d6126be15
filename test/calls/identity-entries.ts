/** The calls of `store.identities`, with good arguments. */
import type { Identities } from '@varve/core'
import type { World } from './world.ts'

const policy = '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"s3:*","Resource":"*"}}'

export const identityEntries = {
  create: (world) => [`i${world.number(500)}`, { displayName: 'Ann', email: 'a@example.org', policy }],
  list: () => [],
  get: () => ['deployer'],
  addKey: () => ['deployer'],
  revokeKey: () => ['deployer', 'AKIAOFDEPLOYER'],
  setPolicies: () => ['deployer', { policy }],
  setQuota: () => ['deployer', { bytes: 1_000_000_000, buckets: 1_000_000 }],
  remove: (world) => [`i${world.number(500)}`],
  credentials: () => [],
  reserve: () => [[{ name: 'ann', id: 'ann', accessKeyId: 'ANN', secretAccessKey: 'secret-secret', root: false }]],
} satisfies { readonly [K in keyof Identities]: (world: World) => unknown[] }

const trustPolicy = () => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { AWS: 'ann' }, Action: 'sts:AssumeRole' }],
})

/** The parsers of the policies that are set with an identity. */
export const policyEntries = {
  parseTrustPolicy: () => [trustPolicy(), 'the policy'],
  parseIdentityPolicy: () => [JSON.parse(policy), 'the policy'],
}
