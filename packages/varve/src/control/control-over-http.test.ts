/** The control API on the port of the S3 server: who may use which operation, and what the others are told. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import type { schema, Store } from '@varve/core'
import { controlApi } from '@varve/http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createIdentity, type Identity, parsePolicy, presign, type RunningServer, serve, signRequest } from '../http.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { memoryStore } from '../store/memory-store.ts'
import { openStore } from '../store/open-store.ts'
import { ControlClient } from './control-client.ts'
import { controlRequests } from './control-requests.fixture.ts'
import { problemsOf } from './json-schema.fixture.ts'
import { socketTransport } from './socket-transport.ts'

const scratch = scratchDirectory()
let store: Store
let server: RunningServer
let end: () => Promise<void>
let uploads: readonly [string, string]
/** A batch of a subscription that is in progress. */
let held: { readonly batch: string; readonly end: () => void }

const allow = (action: string | readonly string[], resource: string | readonly string[] = '*', more: object = {}) => ({
  Effect: 'Allow',
  Action: action,
  Resource: resource,
  ...more,
})

const statements: Readonly<Record<string, readonly object[] | undefined>> = {
  root: undefined,
  plain: undefined,
  s3: [allow('s3:*')],
  log: [allow('varve:ReadLog')],
  reads: [allow('varve:Read*')],
  all: [allow('*')],
  own: [allow('varve:*')],
  except: [{ Effect: 'Allow', NotAction: 's3:DeleteBucket', Resource: '*' }],
  denied: [allow('varve:*'), { Effect: 'Deny', Action: 'varve:*', Resource: '*' }],
  // Its request is about the past.
  forks: [allow('varve:ForkBucket')],
  pastForks: [allow(['varve:ForkBucket', 'varve:ReadHistory', 'varve:DropFork'])],
  partlyDenied: [allow('varve:*'), { ...allow('varve:*', 'arn:aws:s3:::other'), Effect: 'Deny' }],
  elsewhere: [allow('varve:*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })],
  here: [allow('varve:*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '127.0.0.0/8' } } })],
  ofBuckets: [allow('varve:*', ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*'])],
}

const identities = Object.entries(statements).map(([name, list]) =>
  createIdentity({
    name,
    accessKeyId: `KEY${name}`,
    secretAccessKey: `secret of ${name}`,
    root: name === 'root',
    ...(list && { policy: parsePolicy({ Version: '2012-10-17', Statement: list }) }),
  }),
)
const named = (name: string): Identity => identities.find((one) => one.name === name) as Identity

interface Sent {
  readonly by?: Identity
  readonly body?: string
  /** The body that is signed, if it is another one. */
  readonly signedBody?: string
  readonly host?: string
  /** The answer has no end: its first part is enough. */
  readonly isEndless?: boolean
}

interface Got {
  readonly status: number | undefined
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

function send(
  method: string,
  path: string,
  { by, body = '', signedBody = body, host, isEndless = false }: Sent = {},
): Promise<Got> {
  const { port } = new URL(server.url)
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const headers = [['host', host ?? `127.0.0.1:${port}`] as const]
  const payloadHash = createHash('sha256').update(signedBody).digest('hex')
  const signed = by && signRequest({ method, rawPath, rawQuery, headers }, { ...keysOf(by), payloadHash })
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', method, path, headers: Object.fromEntries(signed?.headers ?? headers) },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (isEndless) response.destroy()
        })
        response.on('close', () => resolve({ status: response.statusCode, text, headers: response.headers }))
      },
    )
    sent.on('error', reject).end(body)
  })
}

/** Takes a subscription, and keeps it until its end. */
function takeBatch(): Promise<typeof held> {
  const { port } = new URL(server.url)
  const path = '/-/v1/subscriptions/take'
  const body = JSON.stringify({ name: `held-${uploads[0].slice(-30)}` })
  const payloadHash = createHash('sha256').update(body).digest('hex')
  const signing = { ...keysOf(named('root')), payloadHash }
  const headers = [['host', `127.0.0.1:${port}`] as const]
  const signed = signRequest({ method: 'POST', rawPath: path, rawQuery: '', headers }, signing)
  return new Promise((resolve, reject) => {
    const sent = request({ port, method: 'POST', path, headers: Object.fromEntries(signed.headers) }, (response) => {
      let text = ''
      const end = () => void response.destroy()
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const line = /.*"batch":"([^"]+)".*\n/.exec(text)
        if (line?.[1] !== undefined) resolve({ batch: line[1], end })
      })
    })
    sent.on('error', reject).end(body)
  })
}

const keysOf = ({ accessKeyId, secretAccessKey }: Identity) => ({
  accessKeyId,
  secretAccessKey,
  region: 'us-east-1',
  now: Date.now(),
})

const operations = Object.entries(controlRequests) as [keyof typeof controlApi, (typeof controlRequests)['readLog']][]

/** Sends the request of an operation. */
function sendTo(operation: keyof typeof controlApi, by: Identity): Promise<Got> {
  const [path, body] = controlRequests[operation]
  const ids = (text: string) =>
    text.replace('{one}', uploads[0]).replace('{two}', uploads[1]).replace('{batch}', held.batch)
  const isEndless = operation === 'takeSubscription'
  const sent = { by, isEndless, ...(body && { body: ids(JSON.stringify(body)) }) }
  return send(controlApi[operation].method, ids(path), sent)
}

const statusOperations = [
  'getStatus',
  'getPosition',
  'listJobs',
  'getMetrics',
  'listSubscriptions',
  'listProjections',
  'getClock',
  'getUsage',
  'getRetention',
  'planRetention',
  'getDescription',
]
/** They can end locks, or erase the past, or are of no use without the form of a call. */
const localOperations = [
  'acceptClock',
  'setRetention',
  'removeRetention',
  'renewLogKey',
  'openTransaction',
  'commitTransaction',
]
const taskOperations = ['listTasks', 'stopTask']
const snapshotOperations = ['createSnapshot', 'listSnapshots', 'getSnapshot', 'deleteSnapshot']
const identityOperations = [
  'createIdentity',
  'listIdentities',
  'getIdentity',
  'removeIdentity',
  'setIdentityPolicies',
  'addAccessKey',
  'revokeAccessKey',
]
const logReads = ['readLog', 'pageLog', 'countEvents', 'readHistory', 'proveVersion', 'proveEvent', 'proveErasure']
const checkpointReads = ['getLogKey', 'getCheckpoint', 'proveConsistency', 'getLogTile']
const checkpointOperations = [...checkpointReads, 'addCosignature']
const subscriptionOperations = ['takeSubscription', 'acknowledgeBatch', 'dropSubscription']
const forkOperations = ['forkBucket', 'mergeFork', 'dropFork']
const logOperations = [
  'eraseVersions',
  'readLog',
  'pageLog',
  'countEvents',
  'readHistory',
  'proveVersion',
  'proveEvent',
  'proveErasure',
  'restoreObjects',
  'undoEvents',
  'verifyStore',
  'listDamage',
]
const followed = [...subscriptionOperations, ...statusOperations, 'getPrefixUsage']
const changes = [...snapshotOperations, ...forkOperations, ...identityOperations]
const ownOperations = [...followed, ...taskOperations, ...changes, ...logOperations, ...checkpointOperations]

/** The operations that an identity may use. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  root: Object.keys(controlApi).filter((name) => !localOperations.includes(name)),
  plain: [],
  s3: [],
  log: logReads,
  reads: [...statusOperations, ...checkpointReads, 'getPrefixUsage', ...logReads],
  all: [],
  own: ownOperations,
  except: [],
  denied: [],
  forks: [],
  pastForks: ['forkBucket', 'dropFork'],
  partlyDenied: [],
  elsewhere: [],
  here: ownOperations,
  ofBuckets: [],
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: { readonly Error: schema.JsonSchema } }
}

interface DescribedOperation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema?: schema.JsonSchema }>> }>
  >
}

/**
 * Whether the refusal is one of an operation that is there: the store follows no replica, the first event is no erasure, no task goes on
 * that could be stopped, no access key has that id, and no witness has signed.
 */
function isAnswered(operation: string, code: unknown): boolean {
  if (operation === 'promoteStore') return code === 'InvalidRequest'
  if (operation === 'proveErasure') return code === 'InvalidArgument'
  return ['NoSuchTask', 'NoSuchEntity', 'ProofInvalid'].includes(code as string)
}

const codeIn = (text: string): unknown => (JSON.parse(text) as { error: { code: unknown } }).error.code

const move = { state: 'copying', from: 'a', to: 'b', done: 0, total: 0, events: 0, blobs: 0, bytes: 0 } as const
const mover = { begin: async () => move, status: () => move, stop: async () => move }

const metrics = { contentType: 'text/plain', text: async () => 'varve_store_up 1\n' }

/** Opens a store, and a server that has its control API. */
interface Served {
  readonly store: Store
  readonly server: RunningServer
  readonly end: () => Promise<void>
}

async function servedHere(): Promise<Served> {
  const own = await memoryStore()
  const running = await serve({ store: own, controlStore: () => own, identities, port: 0, metrics, mover })
  return { store: own, server: running, end: () => own.close() }
}

/** As a worker does: the owner of the store answers over its socket. */
async function servedByOwner(): Promise<Served> {
  const own = await openStore(scratch.next())
  const client = new ControlClient(await socketTransport(own.dir ?? ''))
  const running = await serve({ store: own, controlForward: () => client, identities, port: 0, metrics, mover })
  const end = async (): Promise<void> => {
    await client.close()
    await own.close()
  }
  return { store: own, server: running, end }
}

describe.each([
  { where: 'the process of the server', open: servedHere },
  { where: 'the process that has the store open', open: servedByOwner },
])('over HTTP, answered by $where:', ({ open }) => {
  beforeAll(async () => {
    const served = await open()
    ;({ store, server } = served)
    ;({ end } = served)
    await store.as({ by: { id: named('plain').id, name: 'plain' } }).buckets.create('photos')
    await store.objects.put('photos', 'public/a', 'hello')
    // The policy of a bucket is about S3: it opens nothing here.
    const policy = {
      Version: '2012-10-17',
      Statement: [{ ...allow(['s3:*', 'varve:*'], 'arn:aws:s3:::photos/*'), Principal: '*' }],
    }
    await store.buckets.settings.put('photos', 'Policy', JSON.stringify(policy))
  })

  beforeEach(async () => {
    const begun = async () => (await store.uploads.create('photos', 'parts')).uploadId
    uploads = [await begun(), await begun()]
    held = await takeBatch()
  })

  afterEach(() => held.end())

  afterAll(async () => {
    await server.close({ graceMs: 0 })
    await end()
  })

  describe('an operation', () => {
    it.each(Object.keys(statements))('is there for %s as its policy allows, and no other is', async (name) => {
      const answered: string[] = []
      for (const [operation] of operations) {
        const { status, text } = await sendTo(operation, named(name))
        if (status === 200 || isAnswered(operation, codeIn(text))) answered.push(operation)
        else expect({ operation, status, code: codeIn(text) }).toEqual({ operation, status: 403, code: 'AccessDenied' })
      }
      expect(answered.sort()).toEqual([...(allowed[name] ?? [])].sort())
    })
  })

  describe('the description', () => {
    it('has every operation, and every answer is as it says', async () => {
      const { text } = await send('GET', '/-/v1/openapi.json', { by: named('root') })
      const description = JSON.parse(text) as Description
      const operationsIn = Object.values(description.paths).flatMap((methods) => Object.values(methods))
      expect(operationsIn).toHaveLength(Object.keys(controlApi).length)
      for (const [operation, [path]] of operations) {
        const { method } = controlApi[operation]
        const described = description.paths[path.split('?')[0] ?? '']?.[method.toLowerCase()]
        const answer = await sendTo(operation, named('root'))
        const { content } = described?.responses[answer.status === 200 ? '200' : 'default'] ?? {}
        const [[type, { schema: shown }] = ['', {}]] = Object.entries(content ?? {})
        expect(answer.headers['content-type'], operation).toBe(type)
        if (shown === undefined) continue
        const values = answer.text.split('\n').filter((line) => line !== '')
        const shape = '$ref' in shown ? description.components.schemas.Error : shown
        expect({ operation, problems: values.flatMap((line) => problemsOf(shape, JSON.parse(line))) }).toEqual({
          operation,
          problems: [],
        })
      }
    })
  })

  describe('the arguments of an operation', () => {
    it('are described as they are read', () => {
      for (const [operation, [, body]] of operations) {
        const { input } = controlApi[operation]
        if (input.place === 'body') expect(problemsOf(input.json, body)).toEqual([])
      }
      const { json } = controlApi.copyObject.input
      for (const wrong of [{}, { bucket: 'photos', key: 1, source: {} }, { bucket: 'photos', key: 'a', source: 'b' }]) {
        expect(problemsOf(json, wrong)).not.toEqual([])
      }
      const source = { bucket: 'photos', key: 'a' }
      expect(problemsOf(json, { ...source, source, more: true })).toEqual(['$.more is unknown'])
    })
  })

  describe('a request', () => {
    it('without a signature, or with a wrong one, is refused', async () => {
      expect(await send('GET', '/-/v1/log')).toMatchObject({ status: 403 })
      const root = named('root')
      const forged = createIdentity({ ...root, secretAccessKey: 'another secret' })
      const wrong = await send('GET', '/-/v1/log', { by: forged })
      expect([wrong.status, codeIn(wrong.text)]).toEqual([403, 'SignatureDoesNotMatch'])
      const unknown = createIdentity({ name: 'x', accessKeyId: 'KEYnone', secretAccessKey: 'none' })
      expect(codeIn((await send('GET', '/-/v1/log', { by: unknown })).text)).toBe('InvalidAccessKeyId')
    })

    it('cannot be presigned', async () => {
      const host = new URL(server.url).host
      const { rawQuery } = presign(
        { method: 'GET', rawPath: '/-/v1/log', headers: [['host', host]] },
        { ...keysOf(named('root')), expiresSeconds: 60 },
      )
      expect(await send('GET', `/-/v1/log?${rawQuery}`)).toMatchObject({ status: 403 })
    })

    it('with another body than the signed one changes nothing', async () => {
      const body = JSON.stringify({ bucket: 'forged' })
      const answer = await send('POST', '/-/v1/buckets', { by: named('root'), body, signedBody: '{"bucket":"signed"}' })
      expect(answer.status).toBe(400)
      const put = await send('PUT', '/-/v1/content?bucket=photos&key=forged', {
        by: named('root'),
        body: 'forged',
        signedBody: 'signed',
      })
      expect(put.status).toBe(400)
      await expect(store.buckets.head('forged')).rejects.toMatchObject({ code: 'NoSuchBucket' })
      await expect(store.objects.head('photos', 'forged')).rejects.toMatchObject({ code: 'NoSuchKey' })
    })

    it('acts as its identity', async () => {
      await send('POST', '/-/v1/buckets', { by: named('root'), body: '{"bucket":"of-root"}' })
      expect(await store.buckets.head('of-root')).toMatchObject({ owner: { id: named('root').id } })
    })

    it('shows texts of the engine to root alone', async () => {
      const path = '/-/v1/log?from=999999&to=1&follow=no'
      expect(codeIn((await send('GET', path, { by: named('log') })).text)).toBe('InvalidArgument')
      const at = '/-/v1/position?at=99999'
      expect((await send('GET', at, { by: named('reads') })).text).toContain('MomentOutOfRange')
    })

    it('learns that its subscription is lost', async () => {
      const body = JSON.stringify({ batch: 'none' })
      const answer = await send('POST', '/-/v1/subscriptions/acknowledge', { by: named('own'), body })
      expect([answer.status, codeIn(answer.text)]).toEqual([409, 'SubscriptionLost'])
    })

    it('on the host of a bucket is about a key', async () => {
      await store.objects.put('photos', '-/v1/log', 'a key')
      const { port } = new URL(server.url)
      const answer = await send('GET', '/-/v1/log', { by: named('root'), host: `photos.localhost:${port}` })
      expect(answer).toMatchObject({ status: 200, text: 'a key' })
    })

    it('follows the log, with empty lines for a quiet one, until the client leaves', async () => {
      const { seq } = store
      const { port } = new URL(server.url)
      const path = `/-/v1/log?follow=true&from=${seq + 1}`
      const headers = [['host', `127.0.0.1:${port}`] as const]
      const [rawPath = '', rawQuery = ''] = path.split('?')
      const payloadHash = createHash('sha256').digest('hex')
      const signed = signRequest(
        { method: 'GET', rawPath, rawQuery, headers },
        { ...keysOf(named('log')), payloadHash },
      )
      const line = new Promise<string>((resolve, reject) => {
        const sent = request({ port, path, headers: Object.fromEntries(signed.headers) }, (response) => {
          response.setEncoding('utf8').once('data', (chunk: string) => {
            resolve(chunk)
            sent.destroy()
          })
          response.on('error', () => undefined)
        })
        sent.on('error', reject).end()
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      await store.objects.put('photos', 'followed', 'x')
      expect(JSON.parse(await line)).toMatchObject({ seq: seq + 1, type: 'VersionAdded' })
    })

    it('follows the log until the server stops, which does not wait for it', async () => {
      const other = await serve({ store, controlStore: () => store, identities, port: 0 })
      const { port, host } = new URL(other.url)
      const [rawPath, rawQuery] = ['/-/v1/log', 'follow=true']
      const payloadHash = createHash('sha256').digest('hex')
      const toSign = { method: 'GET', rawPath, rawQuery, headers: [['host', host]] as const }
      const { headers } = signRequest(toSign, { ...keysOf(named('log')), payloadHash })
      let text = ''
      const ended = new Promise<void>((resolve, reject) => {
        const sent = request(
          { port, path: `${rawPath}?${rawQuery}`, headers: Object.fromEntries(headers) },
          (response) =>
            response
              .setEncoding('utf8')
              .on('data', (chunk: string) => (text += chunk))
              .on('end', resolve),
        )
        sent.on('error', reject).end()
      })
      while (text === '') await new Promise((resolve) => setTimeout(resolve, 10))
      const began = performance.now()
      await other.close({ graceMs: 10_000 })
      await ended
      expect(performance.now() - began).toBeLessThan(5000)
      expect(codeIn(text.trimEnd().split('\n').at(-1) ?? '')).toBe('ServiceUnavailable')
    })

    it('is S3 on a server that was given no store to show', async () => {
      const other = await serve({ store, identities, port: 0 })
      const own = server
      server = other
      const answer = await send('GET', '/-/v1/log', { by: named('root') })
      server = own
      await other.close({ graceMs: 0 })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('<Code>InvalidBucketName</Code>')
    })
  })
})
