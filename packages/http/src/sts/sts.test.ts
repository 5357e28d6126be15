import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import type { Sessions } from '../credentials/identity-directory.ts'
import { fakeStore } from '../fake-store.fixture.ts'
import { parsePolicy } from '../policies/policy.ts'
import { parseTrustPolicy } from '../policies/trust-policy.ts'
import { serve, type RunningServer } from '../server/serve.ts'
import { canonicalRequest, stringToSign } from '../sigv4/canonical-request.ts'
import { hmacHex } from '../sigv4/digests.ts'
import { presign, signRequest } from '../sigv4/sign-request.ts'
import { deriveSigningKey, scopeText } from '../sigv4/signing-keys.ts'
import { alice, bob, hashing, noon } from '../signed-request.fixture.ts'
import { owned, put } from '../test-server.fixture.ts'

interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

const allow = (action: string, resource: string) => ({
  Version: '2012-10-17',
  Statement: { Effect: 'Allow', Action: action, Resource: `arn:aws:s3:::${resource}` },
})
const trusting = (id: string) =>
  parseTrustPolicy({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { AWS: id }, Action: 'sts:AssumeRole' }],
  })
const deployer = {
  id: 'deployer-id',
  name: 'deployer',
  trust: trusting('alice'),
  policy: parsePolicy(allow('s3:PutObject', 'bucket/*')),
}
const sessions: Sessions = { roles: [deployer], tokenKey: Buffer.alloc(32, 7).toString('base64') }
const roleArn = 'arn:aws:iam::deployer-id:role/deployer'

let now = noon
const running: RunningServer[] = []
afterEach(async () => {
  now = noon
  await Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 })))
})

async function started(more: { readonly sessions?: Sessions } = { sessions }): Promise<RunningServer> {
  const store = fakeStore({ buckets: owned, objects: { put } })
  const server = await serve({ store, identities: [alice, bob], hashing, now: () => now, port: 0, ...more })
  running.push(server)
  return server
}

/** A request of STS, signed as clients of AWS sign it: without `x-amz-content-sha256`. */
async function sts(
  { url }: RunningServer,
  by: Credentials,
  parameters: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
) {
  const body = new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString()
  const amzDate = new Date(now).toISOString().replace(/[-:]|\.000/g, '')
  const { host } = new URL(url)
  const token: Record<string, string> = by.sessionToken === undefined ? {} : { 'x-amz-security-token': by.sessionToken }
  const headers: Readonly<Record<string, string>> = { host, 'x-amz-date': amzDate, ...token, ...more }
  const scope = { date: amzDate.slice(0, 8), region: 'us-east-1', service: 'sts' } as const
  const signedHeaders = Object.keys(headers).sort()
  const canonical = canonicalRequest({
    method: 'POST',
    rawPath: '/',
    query: [],
    signedHeaders,
    values: (name) => [headers[name] ?? ''],
    payloadHash: createHash('sha256').update(body).digest('hex'),
  })
  const text = stringToSign(amzDate, scopeText(scope), canonical)
  const signature = hmacHex(deriveSigningKey(by.secretAccessKey, scope), text)
  const credential = `${by.accessKeyId}/${scopeText(scope)}`
  const response = await fetch(`${url}/`, {
    method: 'POST',
    body,
    headers: {
      ...headers,
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`,
    },
  })
  const xml = await response.text()
  const one = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
  return { status: response.status, code: one('Code'), xml, one }
}

async function assumed(server: RunningServer, more: Readonly<Record<string, string>> = {}): Promise<Credentials> {
  const name = { Action: 'AssumeRole', RoleArn: roleArn, RoleSessionName: 'build-7' }
  return credentialsIn(await sts(server, alice, { ...name, ...more }))
}

function credentialsIn({ status, xml, one }: Awaited<ReturnType<typeof sts>>): Credentials {
  expect({ status, xml }).toMatchObject({ status: 200 })
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map(one)
  return { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '', sessionToken: sessionToken ?? '' }
}

/** The status of a PUT, and the code of its error. */
async function putStatus({ url }: RunningServer, by: Credentials, path: string): Promise<string> {
  const host: readonly [string, string][] = [['host', new URL(url).host]]
  const options = { ...by, region: 'eu', now, payloadHash: 'UNSIGNED-PAYLOAD' }
  const { headers } = signRequest({ method: 'PUT', rawPath: path, headers: host }, options)
  const response = await fetch(url + path, {
    method: 'PUT',
    body: 'abc',
    headers: [...headers].map(([a, b]) => [a, b]),
  })
  return `${response.status} ${/<Code>(\w+)/.exec(await response.text())?.[1] ?? ''}`.trimEnd()
}

describe('AssumeRole', () => {
  it('gives credentials that may do what the role may, in every server with the key of the tokens', async () => {
    const [server, other] = [await started(), await started()]
    const credentials = await assumed(server)
    expect(credentials.accessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/)
    for (const one of [server, other]) {
      expect(await putStatus(one, credentials, '/bucket/a')).toBe('200')
      expect(await putStatus(one, credentials, '/other/a')).toBe('403 AccessDenied')
    }
    const { one } = await sts(server, credentials, { Action: 'GetCallerIdentity' })
    expect(one('Arn')).toBe('arn:aws:sts::deployer-id:assumed-role/deployer/build-7')
    expect([one('UserId'), one('Account')]).toEqual(['deployer-id:build-7', 'deployer-id'])
  })

  it('gives credentials of a role whose name has slashes, which policies can name', async () => {
    const role = { ...deployer, id: 'ci-id', name: 'ci/deployer' }
    const server = await started({ sessions: { ...sessions, roles: [deployer, role] } })
    const call = { Action: 'AssumeRole', RoleArn: 'arn:aws:iam::ci-id:role/ci/deployer', RoleSessionName: 'one' }
    const { one } = await sts(server, credentialsIn(await sts(server, alice, call)), { Action: 'GetCallerIdentity' })
    expect(one('Arn')).toBe('arn:aws:sts::ci-id:assumed-role/ci/deployer/one')
  })

  it('is limited by a session policy: it takes away, and gives nothing', async () => {
    const server = await started()
    const narrow = await assumed(server, { Policy: JSON.stringify(allow('s3:*', 'bucket/a/*')) })
    expect(await putStatus(server, narrow, '/bucket/a/k')).toBe('200')
    expect(await putStatus(server, narrow, '/bucket/b/k')).toBe('403 AccessDenied')
    const wide = await assumed(server, { Policy: JSON.stringify(allow('s3:*', '*')) })
    expect(await putStatus(server, wide, '/other/k')).toBe('403 AccessDenied')
    const denying = { ...allow('s3:*', '*'), Statement: [{ ...allow('s3:*', '*').Statement, Effect: 'Deny' }] }
    expect(await putStatus(server, await assumed(server, { Policy: JSON.stringify(denying) }), '/bucket/k')).toBe(
      '403 AccessDenied',
    )
  })

  it('is refused for identities that the role does not trust, for roles that are not there, and in a session', async () => {
    const server = await started()
    const call = { Action: 'AssumeRole', RoleArn: roleArn, RoleSessionName: 'build-7' }
    expect(await sts(server, bob, call)).toMatchObject({ status: 403, code: 'AccessDenied' })
    const absent = { ...call, RoleArn: 'arn:aws:iam::deployer-id:role/other' }
    expect(await sts(server, alice, absent)).toMatchObject({ status: 403, code: 'AccessDenied' })
    const ofOther = { ...call, RoleArn: 'arn:aws:iam::alice:role/deployer' }
    expect(await sts(server, alice, ofOther)).toMatchObject({ status: 403, code: 'AccessDenied' })
    const session = credentialsIn(await sts(server, alice, { Action: 'GetSessionToken' }))
    expect(await sts(server, session, call)).toMatchObject({ status: 403, code: 'AccessDenied' })
    expect(await sts(server, session, { Action: 'GetSessionToken' })).toMatchObject({ status: 403 })
  })

  it.each([
    ['ValidationError', { RoleSessionName: 'a' }],
    ['ValidationError', { RoleSessionName: 'a b' }],
    ['ValidationError', { RoleArn: 'deployer' }],
    ['ValidationError', { RoleArn: '' }],
    ['ValidationError', { DurationSeconds: '899' }],
    ['ValidationError', { DurationSeconds: '43201' }],
    ['ValidationError', { DurationSeconds: '1e3' }],
    ['ValidationError', { DurationSeconds: '-900' }],
    ['ValidationError', { Policy: ' '.repeat(2049) }],
    ['ValidationError', { ExternalId: 'x' }],
    ['ValidationError', { 'PolicyArns.member.1.arn': 'arn:aws:iam::aws:policy/ReadOnlyAccess' }],
    ['MalformedPolicyDocument', { Policy: '{' }],
    ['MalformedPolicyDocument', { Policy: '{"Statement":[{"Effect":"Allow"}]}' }],
    [
      'MalformedPolicyDocument',
      { Policy: '{"Statement":[{"Effect":"Deny","Action":"s3:GetObjects","Resource":"*"}]}' },
    ],
    ['InvalidAction', { Action: 'AssumeRoleWithSAML' }],
    ['InvalidAction', { Action: 'constructor' }],
    ['InvalidAction', { Version: '2006-03-01' }],
  ])('is refused with %s for %j', async (code, change) => {
    const call = { Action: 'AssumeRole', RoleArn: roleArn, RoleSessionName: 'build-7', ...change }
    expect(await sts(await started(), alice, call)).toMatchObject({ status: 400, code })
  })
})

describe('temporary credentials', () => {
  const ofAlice = async (server: RunningServer, seconds = 900) =>
    credentialsIn(await sts(server, alice, { Action: 'GetSessionToken', DurationSeconds: String(seconds) }))

  it('act as the identity that requested them, in headers and in URLs', async () => {
    const server = await started()
    const credentials = await ofAlice(server)
    expect(await putStatus(server, credentials, '/bucket/k')).toBe('200')
    const { host } = new URL(server.url)
    const request = { method: 'PUT', rawPath: '/bucket/k', headers: [['host', host]] } as const
    const { rawQuery } = presign(request, { ...credentials, region: 'eu', now, expiresSeconds: 60 })
    const put = (query: string) => fetch(`${server.url}/bucket/k?${query}`, { method: 'PUT', body: 'abc' })
    expect((await put(rawQuery)).status).toBe(200)
    expect((await put(rawQuery.replace(/&X-Amz-Security-Token=[^&]*/, ''))).status).toBe(403)
    const { one } = await sts(server, credentials, { Action: 'GetCallerIdentity' })
    expect(one('Arn')).toBe('arn:aws:iam::alice:user/alice')
  })

  it('are refused without their token, with another one, and with a changed one', async () => {
    const server = await started()
    const [credentials, other] = [await ofAlice(server), await ofAlice(server)]
    const { sessionToken = '', ...without } = credentials
    expect(await putStatus(server, without, '/bucket/k')).toBe('403 InvalidAccessKeyId')
    const swapped = { ...without, sessionToken: other.sessionToken ?? '' }
    expect(await putStatus(server, swapped, '/bucket/k')).toBe('400 InvalidToken')
    for (const at of [0, 5, 40, sessionToken.length - 6]) {
      const letter = sessionToken[at] === 'A' ? 'B' : 'A'
      const changed = sessionToken.slice(0, at) + letter + sessionToken.slice(at + 1)
      expect(await putStatus(server, { ...without, sessionToken: changed }, '/bucket/k')).toBe('400 InvalidToken')
    }
    const spelled = ['A', '=', '==', '-', '!', '\u00a0'].flatMap((more) => [sessionToken + more, more + sessionToken])
    for (const changed of [...spelled, `${sessionToken.slice(0, 9)}.${sessionToken.slice(9)}`]) {
      expect(await putStatus(server, { ...without, sessionToken: changed }, '/bucket/k')).toBe('400 InvalidToken')
    }
    expect(await putStatus(server, { ...without, sessionToken: 'x'.repeat(9000) }, '/bucket/k')).toBe(
      '400 InvalidToken',
    )
    const lasting = { accessKeyId: alice.accessKeyId, secretAccessKey: alice.secretAccessKey, sessionToken }
    expect(await putStatus(server, lasting, '/bucket/k')).toBe('400 InvalidToken')
    const forged = { ...credentials, secretAccessKey: 'another-secret' }
    expect(await putStatus(server, forged, '/bucket/k')).toBe('403 SignatureDoesNotMatch')
  })

  it('end when their time is over', async () => {
    const server = await started()
    const credentials = await ofAlice(server, 900)
    now = noon + 899_000
    expect(await putStatus(server, credentials, '/bucket/k')).toBe('200')
    now = noon + 900_000
    expect(await putStatus(server, credentials, '/bucket/k')).toBe('400 ExpiredToken')
  })

  it('end with the access key that requested them, and with their role', async () => {
    const server = await started()
    const [ofUser, ofRole] = [await ofAlice(server), await assumed(server)]
    for (const one of [ofUser, ofRole]) expect(await putStatus(server, one, '/bucket/k')).toBe('200')
    server.replaceIdentities([alice, bob], { ...sessions, roles: [] })
    expect(await putStatus(server, ofUser, '/bucket/k')).toBe('200')
    expect(await putStatus(server, ofRole, '/bucket/k')).toBe('400 InvalidToken')
    const rotated = createIdentity({ name: 'alice', id: 'alice', accessKeyId: 'ALICE2', secretAccessKey: 'secret-2' })
    server.replaceIdentities([rotated, bob], sessions)
    for (const one of [ofUser, ofRole]) expect(await putStatus(server, one, '/bucket/k')).toBe('400 InvalidToken')
    const taken = createIdentity({ name: 'eve', id: 'eve', accessKeyId: 'ALICE', secretAccessKey: 'secret-e' })
    server.replaceIdentities([taken], sessions)
    expect(await putStatus(server, ofUser, '/bucket/k')).toBe('400 InvalidToken')
  })

  it('end with a policy of their role that ends those given before a time, as the console of AWS writes it', async () => {
    const server = await started()
    const before = await assumed(server)
    now = noon + 60_000
    const time = new Date(now).toISOString()
    const ends = {
      Effect: 'Deny',
      Action: '*',
      Resource: '*',
      Condition: { DateLessThan: { 'aws:TokenIssueTime': time } },
    }
    const policy = parsePolicy({
      ...allow('s3:PutObject', '*'),
      Statement: [allow('s3:PutObject', 'bucket/*').Statement, ends],
    })
    server.replaceIdentities([alice, bob], { ...sessions, roles: [{ ...deployer, policy }] })
    expect(await putStatus(server, before, '/bucket/k')).toBe('403 AccessDenied')
    expect(await putStatus(server, await assumed(server), '/bucket/k')).toBe('200')
  })

  it('are not there without a key for tokens', async () => {
    const server = await started({})
    const credentials = await ofAlice(await started())
    expect(await putStatus(server, credentials, '/bucket/k')).toBe('403 InvalidAccessKeyId')
    expect((await sts(server, alice, { Action: 'GetCallerIdentity' })).status).toBe(400)
  })

  it('are shown by no error, and a wrong signature or key has the code of STS', async () => {
    const server = await started()
    const wrong = { ...alice, accessKeyId: alice.accessKeyId, secretAccessKey: 'wrong-secret' }
    expect(await sts(server, wrong, { Action: 'GetSessionToken' })).toMatchObject({
      status: 403,
      code: 'SignatureDoesNotMatch',
    })
    const unknown = { accessKeyId: 'NOBODY', secretAccessKey: 'wrong-secret' }
    const { status, code } = await sts(server, unknown, { Action: 'GetCallerIdentity' })
    expect({ status, code }).toEqual({ status: 403, code: 'InvalidClientTokenId' })
  })
})

describe('a digest that a request of STS has of its body', () => {
  const parameters = { Action: 'GetCallerIdentity' }
  const body = new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString()
  const digest = (algorithm: string, form: 'hex' | 'base64') => createHash(algorithm).update(body).digest(form)

  it.each([
    ['content-md5', digest('md5', 'base64')],
    ['x-amz-checksum-sha256', digest('sha256', 'base64')],
    ['x-amz-content-sha256', digest('sha256', 'hex')],
    ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
  ])('is compared: a right %s', async (name, value) => {
    expect(await sts(await started(), alice, parameters, { [name]: value })).toMatchObject({ status: 200 })
  })

  it.each([
    ['content-md5', Buffer.alloc(16).toString('base64'), 'BadDigest'],
    ['content-md5', 'AAAA', 'InvalidDigest'],
    ['x-amz-checksum-sha256', Buffer.alloc(32).toString('base64'), 'BadDigest'],
    ['x-amz-checksum-sha256', 'AAAA', 'InvalidRequest'],
    ['x-amz-content-sha256', '0'.repeat(64), 'XAmzContentSHA256Mismatch'],
    ['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'ValidationError'],
  ])('is compared: a wrong %s, %s', async (name, value, code) => {
    expect(await sts(await started(), alice, parameters, { [name]: value })).toMatchObject({ status: 400, code })
  })
})
