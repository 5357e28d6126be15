import { describe, expect, it } from 'vitest'
import { identitiesFromEnvironment } from './access/environment.ts'
import { combineIdentities, parseIdentities } from './access/identities.ts'
import { createIdentity } from './access/identity-schema.ts'
import { parseIpRange } from './addresses/ip-range.ts'
import { parsePolicy } from './policies/policy.ts'
import { toWireError } from './errors/wire-error.ts'
import { isS3Error } from './errors/errors.ts'
import { presign, signRequest } from './sigv4/sign-request.ts'

const fail = (): never => expect.fail('read')
const circle: { Statement?: unknown } = {}
circle.Statement = circle
const fields = { name: 'ann', accessKeyId: 'ANN', secretAccessKey: 'secret-secret' }
const request = { method: 'GET', rawPath: '/', headers: [['host', 'localhost']] }
const signing = { accessKeyId: 'ANN', secretAccessKey: 'secret-secret', region: 'eu', now: 0 }

const refused: readonly (readonly [string, () => unknown])[] = [
  ['a policy that goes round in circles', () => parsePolicy(circle)],
  ['a policy that cannot be read', () => parsePolicy(new Proxy({}, { ownKeys: fail }))],
  [
    'a policy with a list of its own kind',
    () => parsePolicy({ Statement: Object.assign([], { length: 2 ** 32 - 1 }) }),
  ],
  ['a policy of no kind', () => parsePolicy({}, 'policy', 'group' as never)],
  [
    'identities that cannot be read',
    () =>
      parseIdentities({
        get identities() {
          return fail()
        },
      }),
  ],
  ['lists of identities that are none', () => combineIdentities([fields] as never, 5 as never)],
  ['an identity without a secret', () => createIdentity({ ...fields, secretAccessKey: undefined } as never)],
  ['an identity with a policy of its own making', () => createIdentity({ ...fields, policy: {} } as never)],
  ['an environment that is none', () => identitiesFromEnvironment(undefined as never)],
  ['an environment of numbers', () => identitiesFromEnvironment({ VARVE_ACCESS_KEY_ID: 5 } as never)],
  ['a range that is no text', () => parseIpRange(5 as never)],
  ['headers that are no pairs', () => signRequest({ ...request, headers: [['host']] } as never, signing as never)],
  ['a time that is none', () => presign(request as never, { ...signing, now: Number.NaN, expiresSeconds: 1 })],
  ['a body of an unknown hash', () => signRequest(request as never, { ...signing, payloadHash: 5 } as never)],
]

describe('functions beside servers', () => {
  it.each(refused)('refuse %s', (_, call) => {
    expect(call).toThrow(expect.objectContaining({ name: 'StorageError', code: 'InvalidArgument' }))
  })

  it('take the environment of the process, and identities that were made', () => {
    expect(identitiesFromEnvironment(process.env)).toEqual([])
    expect(createIdentity(createIdentity(fields)).secretAccessKey).toBe('secret-secret')
  })

  it.each([[new Proxy({}, { getPrototypeOf: fail })], [Object.defineProperty(new Error('x'), 'name', { get: fail })]])(
    'look at errors that cannot be looked at: %#',
    (error) => {
      expect(isS3Error(error)).toBe(false)
      expect(toWireError(error).code).toBe('InternalError')
    },
  )
})
