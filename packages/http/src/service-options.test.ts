import { describe, expect, it } from 'vitest'
import { createIdentity } from './access/identity.ts'
import { fakeStore } from './fake-store.fixture.ts'
import { createService } from './service-options.ts'
import { alice, hashing } from './signed-request.fixture.ts'

const given = { store: fakeStore(), identities: [alice], hashing }

describe('the options of the service', () => {
  it('have defaults, which undefined does not replace', () => {
    const service = createService({ ...given, dialect: undefined, namespace: undefined, now: undefined })
    expect(service.dialect.name).toBe('neutral')
    expect(service.options).toEqual({
      region: 'eu',
      bucketDefaults: 'closed',
      namespace: 'http://s3.amazonaws.com/doc/2006-03-01/',
      keepAliveAfterMs: 5000,
      keepAliveEveryMs: 5000,
      notificationTargets: [],
    })
    expect(service.hostSuffixes).toEqual(['localhost'])
    expect(service.now).toBe(Date.now)
  })

  it('take the region from the dialect unless one is given', () => {
    expect(createService({ ...given, dialect: 'aws' }).options.region).toBe('us-east-1')
    expect(createService({ ...given, dialect: 'aws', region: 'mars-1' }).options.region).toBe('mars-1')
  })

  it('may leave answers without a namespace', () => {
    expect(createService({ ...given, namespace: '' }).options.namespace).toBe('')
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
      expect(() => createService({ ...given, ...wrong })).toThrow(TypeError)
    }
    expect(() => createService({ ...given, identities: [alice, twin] })).toThrow(TypeError)
  })
})
