/** The session behind the twelfth golden file: identities, their policies and their access keys. Never change it. */
import { openEngine, type Store, type StorePorts } from '@varve/core'

export async function twelfthGoldenSession(ports: StorePorts): Promise<Store> {
  const place = {
    tokenKey: async () => new Uint8Array(32),
    make: () => given('AKIANEW'),
    put: async () => true,
    get: async () => undefined,
  }
  const secrets = { ...place, remove: async () => undefined, settle: async () => undefined }
  const store = await openEngine({ ...ports, secrets }, { inlineMax: 16, retentionMs: 0 }, { storeId: 'golden' })
  const { identities } = store.as({ by: { id: 'a1', name: 'Alice' } })
  const policy = '{"Version":"2012-10-17","Statement":[]}'
  await identities.create('bob', {
    id: 'b1',
    displayName: 'Bob',
    email: 'b@example.org',
    key: given('AKIABOB'),
    policy,
  })
  await identities.addKey('bob')
  await identities.revokeKey('bob', 'AKIABOB')
  await identities.setPolicies('bob', {})
  await identities.create('deployer', { id: 'd1', trust: policy })
  await identities.create('gone', { id: 'g1', key: given('AKIAGONE') })
  await identities.remove('gone')
  return store
}

const given = (accessKeyId: string) => ({
  accessKeyId,
  secretAccessKey: 'the secret is not in the log'.replaceAll(' ', '-'),
})
