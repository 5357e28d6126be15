import { describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import { fakeStore } from '../fake-store.fixture.ts'
import { checkServiceOptions } from '../server/checked-options.ts'
import { createService, type ServiceOptions } from './service-options.ts'
import { alice, hashing } from '../signed-request.fixture.ts'

const given = { store: fakeStore(), identities: [alice], hashing }

const service = (options: ServiceOptions) => createService(checkServiceOptions(options))

describe('the options of the service', () => {
  it('have defaults, which undefined does not replace', () => {
    const made = service({ ...given, dialect: undefined, namespace: undefined, now: undefined })
    expect(made.dialect.name).toBe('neutral')
    expect(made.options).toEqual({
      region: 'eu',
      bucketDefaults: 'closed',
      namespace: 'http://s3.amazonaws.com/doc/2006-03-01/',
      keepAliveAfterMs: 5000,
      keepAliveEveryMs: 5000,
      notificationTargets: [],
      hasSnapshots: false,
    })
    expect(made.hostSuffixes).toEqual(['localhost'])
    expect(made.now).toBe(Date.now)
  })

  it('take the region from the dialect unless one is given', () => {
    expect(service({ ...given, dialect: 'aws' }).options.region).toBe('us-east-1')
    expect(service({ ...given, dialect: 'aws', region: 'mars-1' }).options.region).toBe('mars-1')
  })

  it('may leave answers without a namespace', () => {
    expect(service({ ...given, namespace: '' }).options.namespace).toBe('')
  })

  it('cannot be mistaken', () => {
    const twin = createIdentity({ name: 'twin', accessKeyId: alice.accessKeyId, secretAccessKey: 'other' })
    for (const wrong of [
      { region: '' },
      { signatures: 'v2' as 'v4' },
      { region: 'a b' },
      { keepAliveAfterMs: 0 },
      { keepAliveEveryMs: Number.NaN },
    ]) {
      expect(() => service({ ...given, ...wrong })).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    }
    expect(() => service({ ...given, identities: [alice, twin] })).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    )
  })
})
