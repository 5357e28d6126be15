/**
 * The path of a request is decoded once. The signature covers the decoded path, and the same decoded path names the bucket and the key
 * that the policies decide on and that are read. So no spelling of a path leads anywhere else.
 */
import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { presign, signRequest } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerOf, type Answer, type Pairs, sha256 } from '../acceptance/support/call.ts'
import { openTestService, type TestService } from '../acceptance/support/test-service.ts'

const bucket = 'alb'
const denied = 'secret'
/** As they are stored: none of these is a spelling of another. */
const keys = [
  denied,
  `/${denied}`,
  `../${denied}`,
  `..`,
  `./${denied}`,
  `%73ecret`,
  `%2f${denied}`,
  `a+b`,
  `a b`,
  `a%2bb`,
  `..\\${denied}`,
]

const spellings = [
  'alb/secret',
  'alb%2fsecret',
  'alb%2Fsecret',
  '%61lb/secret',
  'alb/%73ecret',
  'alb/%73%65%63%72%65%74',
  'alb//secret',
  'alb/%2fsecret',
  'alb%2F%2fsecret',
  'alb/../secret',
  'alb/%2e%2e/secret',
  'alb/%2E%2E%2Fsecret',
  'alb%2F../secret',
  'alb/..',
  'alb%2F..',
  'alb/./secret',
  'alb/%2e/secret',
  'alb/%2573ecret',
  'alb/%252fsecret',
  'alb%252fsecret',
  'alb/a+b',
  'alb/a%2bb',
  'alb/a%20b',
  'alb/a%252bb',
  'alb/..%5csecret',
  'other/../alb/secret',
  'other%2f..%2falb%2fsecret',
  '/alb/secret',
  '%2falb/secret',
  'alb%2f',
  'alb%00/secret',
  'alb/secret%00',
  '-%2fv1%2flog',
]

interface Place {
  readonly bucket: string
  readonly key: string
}

function placeOf(spelling: string): Place {
  const [first = '', ...rest] = decodeURIComponent(spelling).split('/')
  return { bucket: first, key: rest.join('/') }
}

interface Sent {
  readonly path: string
  readonly query: string
  readonly headers: Pairs
}

const region = 'eu'

describe('a spelling of a path', () => {
  let service: TestService
  let credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  beforeAll(async () => {
    const Resource = `arn:aws:s3:::${bucket}/*`
    service = await openTestService({
      policies: { reader: [{ Effect: 'Allow', Action: 's3:GetObject', Resource }] },
      serve: { hostSuffixes: ['s3.test'], signatures: 'v2+v4' },
    })
    credentials = service.server.credentials('reader')
    for (const name of [bucket, 'other']) await service.ask(`PUT /${name}`)
    expect((await service.ask(`DELETE /${bucket}?publicAccessBlock`)).status).toBe(204)
    for (const key of keys) {
      const answer = await service.ask(`PUT /${bucket}/${encodeURIComponent(key)}`, { body: `${bucket}|${key}` })
      expect([key, answer.status]).toEqual([key, 200])
    }
    await service.ask('PUT /other/secret', { body: 'other|secret' })
    const statements = [
      { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource },
      { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/${denied}` },
    ]
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: statements })
    expect((await service.ask(`PUT /${bucket}?policy`, { body: policy })).status).toBeLessThan(300)
  })
  afterAll(() => service.stop())

  const hostOf = (virtual: string | undefined): string => (virtual === undefined ? 'localhost' : `${virtual}.s3.test`)

  const signers: Readonly<Record<string, (path: string, signedPath: string, virtual?: string) => Sent>> = {
    'without a signature': (path, _, virtual) => ({ path, query: '', headers: [['host', hostOf(virtual)]] }),
    'with a V4 header': (path, rawPath, virtual) => {
      const headers: Pairs = [['host', hostOf(virtual)]]
      const signed = signRequest(
        { method: 'GET', rawPath, rawQuery: '', headers },
        { ...credentials, region, now: Date.now(), payloadHash: sha256(Buffer.alloc(0)) },
      )
      return { path, query: '', headers: signed.headers }
    },
    'with a V4 URL': (path, rawPath, virtual) => {
      const headers: Pairs = [['host', hostOf(virtual)]]
      const { rawQuery } = presign(
        { method: 'GET', rawPath, rawQuery: '', headers },
        { ...credentials, region, now: Date.now(), expiresSeconds: 60 },
      )
      return { path, query: rawQuery, headers }
    },
    'with a V2 header': (path, rawPath, virtual) => {
      const date = new Date().toUTCString()
      const resource = virtual === undefined ? rawPath : `/${virtual}${rawPath}`
      const signature = v2Signature(`GET\n\n\n${date}\n${resource}`)
      return {
        path,
        query: '',
        headers: [
          ['host', hostOf(virtual)],
          ['date', date],
          ['authorization', `AWS ${credentials.accessKeyId}:${signature}`],
        ],
      }
    },
    'with a V2 URL': (path, rawPath, virtual) => {
      const expires = Math.floor(Date.now() / 1000) + 60
      const resource = virtual === undefined ? rawPath : `/${virtual}${rawPath}`
      const signature = v2Signature(`GET\n\n\n${expires}\n${resource}`)
      const query = new URLSearchParams({
        AWSAccessKeyId: credentials.accessKeyId,
        Expires: String(expires),
        Signature: signature,
      })
      return { path, query: String(query), headers: [['host', hostOf(virtual)]] }
    },
  }
  const v2Signature = (text: string): string =>
    createHmac('sha1', credentials.secretAccessKey).update(text).digest('base64')

  const send = ({ path, query, headers }: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = service.server
      const sent = request({ host: '127.0.0.1', port, path: query === '' ? path : `${path}?${query}`, setHost: false })
      for (const [name, value] of headers) sent.setHeader(name, value)
      sent.on('error', reject).on('response', (response) => {
        const pieces: Buffer[] = []
        response
          .on('data', (piece: Buffer) => pieces.push(piece))
          .on('error', reject)
          .on('end', () => resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(pieces))))
      })
      sent.end()
    })

  const outcome = ({ status, text }: Answer): string => (status === 200 ? text : status === 403 ? 'denied' : 'refused')

  function expected({ bucket: name, key }: Place): string {
    if (name !== bucket) return 'refused'
    if (key === '' || key === denied) return 'denied'
    return keys.includes(key) ? `${bucket}|${key}` : 'denied'
  }

  for (const [signer, sign] of Object.entries(signers)) {
    it(`is the bucket and the key that it decodes to, once, ${signer}`, async () => {
      for (const spelling of spellings) {
        const seen = outcome(await send(sign(`/${spelling}`, `/${spelling}`)))
        const wanted = expected(placeOf(spelling))
        if (wanted === 'refused') expect([spelling, seen]).not.toEqual([spelling, expect.stringContaining('|')])
        else expect([spelling, seen]).toEqual([spelling, wanted])
      }
    })

    it(`is a key behind the host of a bucket, ${signer}`, async () => {
      for (const key of keys.filter((each) => each !== denied)) {
        const plain = encodeURIComponent(key)
        for (const path of [plain, plain.replaceAll('%2F', '/'), plain.replaceAll('.', '%2e')]) {
          const seen = outcome(await send(sign(`/${path}`, `/${path}`, bucket)))
          expect([path, seen]).toEqual([path, `${bucket}|${key}`])
        }
      }
      for (const path of ['secret', '%73ecret']) {
        expect([path, outcome(await send(sign(`/${path}`, `/${path}`, bucket)))]).toEqual([path, 'denied'])
      }
    })

    if (signer === 'without a signature') continue
    it(`has no signature of another bucket or key, ${signer}`, async () => {
      for (const sent of ['alb%2F..', 'alb%2F%2fsecret', 'alb/a%20b', 'alb/%2573ecret']) {
        for (const signed of [...spellings, ...spellings.map((spelling) => `${spelling}/`)]) {
          const [here, there] = [placeOf(sent), placeOf(signed)]
          if (here.bucket === there.bucket && here.key === there.key) continue
          expect([sent, signed, outcome(await send(sign(`/${sent}`, `/${signed}`)))]).toEqual([sent, signed, 'denied'])
        }
      }
    })
  }
})
