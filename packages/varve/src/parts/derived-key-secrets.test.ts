import { describe, expect, it } from 'vitest'
import { derivedKeySecrets } from './derived-key-secrets.ts'

const [one, other] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]

describe('secrets that are derived from a master key', () => {
  it('are the same on every server that has the key', async () => {
    const pair = derivedKeySecrets([one]).make()
    expect(pair.accessKeyId).toMatch(/^AKIA[A-Z0-9]{16}$/)
    expect(pair.secretAccessKey).toMatch(/^[\w-]{40}$/)
    const elsewhere = derivedKeySecrets([one])
    expect(await elsewhere.get(pair.accessKeyId)).toBe(pair.secretAccessKey)
    expect(await elsewhere.put(pair)).toBe(true)
    expect(await elsewhere.tokenKey()).toEqual(await derivedKeySecrets([one]).tokenKey())
  })

  it('differ for each key, and are unknown to those who have another master key', async () => {
    const secrets = derivedKeySecrets([one])
    const pairs = Array.from({ length: 50 }, () => secrets.make())
    expect(new Set(pairs.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(50)
    for (const { accessKeyId } of pairs) expect(await derivedKeySecrets([other]).get(accessKeyId)).toBeUndefined()
    expect(await secrets.get('AKIAIOSFODNN7EXAMPLE')).toBeUndefined()
    expect(await secrets.get('root-key')).toBeUndefined()
    expect(await derivedKeySecrets([other]).tokenKey()).not.toEqual(await secrets.tokenKey())
  })

  it('stay valid beside a newer master key, which makes the new ones', async () => {
    const old = derivedKeySecrets([one]).make()
    const rotated = derivedKeySecrets([other, one])
    expect(await rotated.get(old.accessKeyId)).toBe(old.secretAccessKey)
    const fresh = rotated.make()
    expect(await derivedKeySecrets([other]).get(fresh.accessKeyId)).toBe(fresh.secretAccessKey)
    expect(await derivedKeySecrets([one]).get(fresh.accessKeyId)).toBeUndefined()
  })

  it('cannot be given', async () => {
    const secrets = derivedKeySecrets([one])
    for (const accessKeyId of ['root-key', secrets.make().accessKeyId])
      await expect(secrets.put({ accessKeyId, secretAccessKey: 'given' })).rejects.toMatchObject({
        code: 'NotImplemented',
      })
  })

  it('need a master key', () => {
    expect(() => derivedKeySecrets([])).toThrow(TypeError)
  })
})
