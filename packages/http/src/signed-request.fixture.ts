import { createHash } from 'node:crypto'
import type { Hashing } from '@varve/core'
import { createIdentity } from './access/identity-schema.ts'
import { parsePolicy } from './policies/policy.ts'
import type { WireRequest } from './contract/wire-request.ts'
import { checkServiceOptions } from './server/checked-options.ts'
import { createService } from './pipeline/service-options.ts'
import type { ServiceOptions } from './pipeline/service-options.ts'
import { signRequest } from './sigv4/sign-request.ts'

export const alice = createIdentity({ name: 'alice', id: 'alice', accessKeyId: 'ALICE', secretAccessKey: 'secret-a' })
export const bob = createIdentity({ name: 'bob', id: 'bob', accessKeyId: 'BOB', secretAccessKey: 'secret-b' })
/** May read any object and list nothing. */
export const reader = createIdentity({
  name: 'reader',
  id: 'reader',
  accessKeyId: 'READER',
  secretAccessKey: 'secret-r',
  policy: parsePolicy({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::*/*'] }],
  }),
})

/** Only SHA-256: what tests of the server need of it. */
export const hashing: Hashing = {
  create(algorithm) {
    if (algorithm !== 'SHA256') throw new Error(`Nobody said how ${algorithm} is made.`)
    const state = createHash('sha256')
    return { update: (chunk) => void state.update(chunk), finish: () => new Uint8Array(state.digest()) }
  },
  sha256: (bytes) => createHash('sha256').update(bytes).digest('base64url'),
  crc32: () => 0,
}

export const noon = Date.UTC(2026, 0, 1, 12)

export const serviceWith = (options: Pick<ServiceOptions, 'store'> & Partial<ServiceOptions>) =>
  createService(checkServiceOptions({ identities: [alice, bob, reader], hashing, now: () => noon, ...options }))

export interface RequestFixture {
  readonly by?: typeof alice
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string
  readonly now?: number
  readonly host?: string
  /** Default: the SHA-256 of the body. */
  readonly payloadHash?: string
}

/** Raw headers of a signed request, with the length of its body. */
export function signedHeaders(
  method: string,
  rawUrl: string,
  { by = alice, headers = [], body = '', now = noon, host = 'localhost:9000', payloadHash }: RequestFixture = {},
): string[] {
  const [rawPath = '', rawQuery = ''] = rawUrl.split('?')
  const signed = signRequest(
    { method, rawPath, rawQuery, headers: [['host', host], ...headers] },
    {
      accessKeyId: by.accessKeyId,
      secretAccessKey: by.secretAccessKey,
      region: 'eu',
      now,
      payloadHash: payloadHash ?? createHash('sha256').update(body).digest('hex'),
    },
  )
  return [...signed.headers, ['content-length', String(Buffer.byteLength(body))]].flat() as string[]
}

/** A request as the pipeline receives it. `taken()` returns whether its body was read. */
export function signedRequest(method: string, rawUrl: string, fixture: RequestFixture = {}) {
  let wasTaken = false
  async function* bytes() {
    wasTaken = true
    yield Buffer.from(fixture.body ?? '')
  }
  const request: WireRequest = {
    method,
    rawUrl,
    rawHeaders: signedHeaders(method, rawUrl, fixture),
    body: bytes(),
    secure: false,
    requestId: 'REQUEST',
    client: { signal: new AbortController().signal, onOver: () => undefined },
    trace: {},
  }
  return { request, taken: () => wasTaken }
}
