import { inspect } from 'node:util'
import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { identitiesFromEnvironment } from './environment.ts'
import { combineIdentities, parseIdentities } from './identities.ts'
import { canonicalId } from './identity.ts'
import { createIdentity } from './identity-schema.ts'

const secret = 'correct-horse/battery+staple'
const alice = { name: 'alice', accessKeyId: 'AKALICE', secretAccessKey: secret }
const parse = (...identities: unknown[]) => parseIdentities({ identities })

function refusal(act: () => unknown): { code: string; message: string } {
  try {
    act()
  } catch (error) {
    expect(inspect(error, { depth: null })).not.toContain(secret)
    if (isStorageError(error)) return { code: error.code, message: error.message }
    throw error
  }
  return { code: 'accepted', message: '' }
}

describe('identities', () => {
  it('fills in what is left out', () => {
    const [identity] = parse(alice)
    expect({ ...identity }).toEqual({
      name: 'alice',
      id: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90',
      displayName: 'alice',
      accessKeyId: 'AKALICE',
      root: false,
    })
    expect(identity?.secretAccessKey).toBe(secret)
  })

  it('keeps every field', () => {
    const policy = { Version: '2012-10-17', Statement: { Effect: 'Allow', Action: 's3:*', Resource: '*' } }
    const [identity] = parse({ ...alice, id: 'a1', displayName: 'Alice Ä.', email: 'a@b.example', root: false, policy })
    expect(identity).toMatchObject({ id: 'a1', displayName: 'Alice Ä.', email: 'a@b.example', root: false })
    expect(identity?.policy?.statements).toHaveLength(1)
    expect(parse({ ...alice, root: true })[0]?.root).toBe(true)
  })

  it('accepts a dollar sign in an id, and refuses the anonymous id', () => {
    expect(parse({ ...alice, id: 'tenant$alice' })[0]?.id).toBe('tenant$alice')
    const refused = refusal(() => parse({ ...alice, id: 'anonymous' }))
    expect(refused.message).toContain('identities[0].id cannot be that of nobody')
  })

  it('takes names of the prototype as names', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const identities = parse(...names.map((name) => ({ name, accessKeyId: name, id: name, secretAccessKey: secret })))
    expect(identities.map(({ accessKeyId }) => accessKeyId)).toEqual(names)
  })

  it.each([
    ['no object', null, 'the identities must be an object'],
    ['a list', [alice], 'the identities must be an object'],
    ['a field too many', { identities: [alice], users: [] }, 'the identities has an unknown field'],
    ['nothing', {}, 'identities must be an array'],
    ['nobody', { identities: [] }, 'identities must not be empty'],
    ['an entry that is text', { identities: [alice, secret] }, 'identities[1] must be an object'],
    ['an unknown field', { identities: [{ ...alice, [secret]: 1 }] }, 'identities[0] has an unknown field'],
    ['__proto__ as field', JSON.parse('{"identities":[{"__proto__":1}]}'), 'identities[0] has an unknown field'],
  ])('refuses %s', (_, json, message) => {
    const refused = refusal(() => parseIdentities(json))
    expect(refused.code).toBe('InvalidArgument')
    expect(refused.message).toContain(message)
  })

  it.each([
    ['name', undefined],
    ['name', ''],
    ['name', 'a'.repeat(129)],
    ['name', 'a\nb'],
    ['name', 'a\ud800'],
    ['name', 7],
    ['accessKeyId', undefined],
    ['accessKeyId', 'AB'],
    ['accessKeyId', 'A'.repeat(129)],
    ['accessKeyId', 'A/B/C'],
    ['accessKeyId', 'A B C'],
    ['accessKeyId', 'A,B=C'],
    ['accessKeyId', 'ÄÄÄÄ'],
    ['accessKeyId', null],
    ['secretAccessKey', undefined],
    ['secretAccessKey', '1234567'],
    ['secretAccessKey', 's'.repeat(129)],
    ['secretAccessKey', `${secret} `],
    ['secretAccessKey', `${secret}\n`],
    ['secretAccessKey', `${secret}ä`],
    ['secretAccessKey', [secret]],
    ['id', ''],
    ['id', 'a/b'],
    ['id', 'a'.repeat(129)],
    ['displayName', ''],
    ['displayName', 'a\0'],
    ['email', 'nobody'],
    ['email', 'a b@c'],
    ['root', 'yes'],
    ['root', 1],
  ])('refuses %s = %j, names the field and repeats nothing', (field, value) => {
    const entry: Record<string, unknown> = { ...alice, [field]: value }
    if (value === undefined) delete entry[field]
    const refused = refusal(() => parse({ ...alice, name: 'b', accessKeyId: 'AKB' }, entry))
    expect(refused.code).toBe('InvalidArgument')
    expect(refused.message).toContain(`identities[1].${field} `)
  })

  it.each([
    ['name', 1],
    ['name', 128],
    ['accessKeyId', 3],
    ['accessKeyId', 128],
    ['secretAccessKey', 8],
    ['secretAccessKey', 128],
    ['id', 1],
    ['id', 128],
  ])('accepts %s of %i characters', (field, length) => {
    expect(parse({ ...alice, [field]: 'x'.repeat(length) })).toHaveLength(1)
  })

  it.each(['name', 'accessKeyId', 'id'])('refuses the same %s twice', (field) => {
    const first = { ...alice, id: 'a' }
    const second = { name: 'bob', accessKeyId: 'AKBOB', secretAccessKey: secret, id: 'b' }
    const refused = refusal(() => parse(first, { ...second, [field]: first[field as keyof typeof first] }))
    expect(refused.message).toBe(`identities[1].${field} is that of identities[0] too.`)
    const list = parse(first)
    expect(refusal(() => combineIdentities(list, list)).code).toBe('InvalidArgument')
    expect(combineIdentities(list, parse(second))).toHaveLength(2)
  })

  it('refuses a default id that someone else has taken', () => {
    expect(
      refusal(() => parse(alice, { ...alice, name: 'b', accessKeyId: 'AKB', id: canonicalId('alice') })).message,
    ).toContain('id')
  })

  it('reports where a policy is wrong, and refuses one for root', () => {
    expect(refusal(() => parse({ ...alice, policy: {} })).message).toContain('identities[0].policy.Statement')
    expect(refusal(() => parse({ ...alice, root: true, policy: {} })).message).toContain('root may do everything')
  })
})

describe('the secret of an identity', () => {
  const identity = createIdentity(alice)

  it.each([
    ['inspect', inspect(identity, { depth: null })],
    ['inspect of hidden things', inspect(identity, { showHidden: true, customInspect: false })],
    ['inspect within', inspect({ list: [new Map([['a', identity]])] }, { depth: null })],
    ['JSON', JSON.stringify({ identity })],
    ['a template', `${identity as unknown as string}`],
    ['a spread', JSON.stringify({ ...identity })],
    ['a clone', JSON.stringify(structuredClone({ ...identity }))],
    ['its entries', JSON.stringify(Object.entries(identity))],
  ])('does not show through %s', (_, shown) => {
    expect(shown).not.toContain(secret)
  })

  it('is shown as redacted', () => {
    expect(inspect(identity)).toContain("secretAccessKey: '[redacted]'")
    expect(JSON.parse(JSON.stringify(identity))).toMatchObject({ name: 'alice', secretAccessKey: '[redacted]' })
  })

  it('cannot be changed', () => {
    expect(() => Object.assign(identity, { root: true })).toThrow(TypeError)
    expect(() => Object.assign(identity, { secretAccessKey: 'x' })).toThrow(TypeError)
  })
})

describe('identities from the environment', () => {
  it('are none, or one root that owns what the root of the file owns', () => {
    expect(identitiesFromEnvironment({})).toEqual([])
    expect(identitiesFromEnvironment({ VARVE_ACCESS_KEY_ID: '', VARVE_SECRET_ACCESS_KEY: '' })).toEqual([])
    const [root, ...others] = identitiesFromEnvironment({
      VARVE_ACCESS_KEY_ID: 'AKENV',
      VARVE_SECRET_ACCESS_KEY: secret,
    })
    expect(others).toEqual([])
    expect(root).toMatchObject({ accessKeyId: 'AKENV', root: true, id: canonicalId('root') })
    expect(root?.secretAccessKey).toBe(secret)
  })

  it.each([
    [{ VARVE_ACCESS_KEY_ID: 'AKENV' }, 'only one is set'],
    [{ VARVE_SECRET_ACCESS_KEY: secret }, 'only one is set'],
    [{ VARVE_ACCESS_KEY_ID: '', VARVE_SECRET_ACCESS_KEY: secret }, 'only one is set'],
    [{ VARVE_ACCESS_KEY_ID: 'A/B/C', VARVE_SECRET_ACCESS_KEY: secret }, 'environment.accessKeyId'],
    [{ VARVE_ACCESS_KEY_ID: 'AKENV', VARVE_SECRET_ACCESS_KEY: 'short' }, 'environment.secretAccessKey'],
  ])('are refused half or wrong: %#', (env, message) => {
    const refused = refusal(() => identitiesFromEnvironment(env))
    expect(refused.code).toBe('InvalidArgument')
    expect(refused.message).toContain(message)
  })
})
