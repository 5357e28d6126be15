/**
 * Whole requests over real connections: good ones spoiled in any byte, in any number of pieces. The server answers or hangs up; it
 * never answers 5xx (501 is an answer), never dies, and serves others as before.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionBody, versioningBody } from '../../acceptance/support/test-service.ts'
import { connect, requestBytes, requestText } from '../../acceptance/support/wire.ts'
import { expectDiscreet, openScene, type Scene } from '../scene.ts'
import { replayed, seedOf, share } from './fuzz.ts'
import { near, spoiled } from './mutate.ts'

const lines = [
  'GET /',
  'GET /hostile',
  'GET /hostile?versions&prefix=a&delimiter=/&max-keys=10&encoding-type=url',
  'GET /hostile?list-type=2&start-after=a&continuation-token=MTph',
  'GET /hostile?uploads',
  'GET /hostile/object',
  'HEAD /hostile/object?versionId=null',
  'GET /hostile/object?partNumber=1&response-content-type=a',
  'DELETE /hostile/none?versionId=null',
  'GET /hostile/up?UPLOAD&part-number-marker=1',
  'POST /hostile/new?uploads',
] as const
const withBody: readonly (readonly [line: string, body: string])[] = [
  ['PUT /hostile/new', 'a body'],
  ['PUT /hostile/up?partNumber=2&UPLOAD', 'a part'],
  ['PUT /anns?versioning', versioningBody('Enabled')],
  ['POST /hostile/up?UPLOAD', completionBody([{ PartNumber: 7, ETag: 'x' }])],
  ['POST /hostile?delete', '<Delete><Object><Key>none</Key></Object></Delete>'],
  [
    'PUT /new-bucket',
    '<CreateBucketConfiguration><LocationConstraint>eu</LocationConstraint></CreateBucketConfiguration>',
  ],
]
const headers = fc.constantFrom<Readonly<Record<string, string>>[]>(
  {},
  { range: 'bytes=0-1' },
  { 'x-amz-copy-source': '/hostile/object', 'x-amz-metadata-directive': 'COPY' },
  { 'if-match': '"a"', 'x-amz-meta-a': 'b' },
  { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' },
  { 'x-amz-checksum-crc32': 'AAAAAA==' },
)
const words = [
  '\r\n\r\n',
  'HTTP/1.1',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'x-amz-copy-source: /hostile/secret\r\n',
  'Expect: 100-continue\r\n',
  '%00',
  '?versions',
  'x-svc-acl: private\r\n',
  '\r\nHost: b.localhost\r\n',
]

const patienceMs = 200

/** What is signed again after it was spoiled gets further in than what is not. */
interface Sent {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly spoilt: (bytes: string) => string
  readonly cut: number
}

const one = (line: string, body: string): fc.Arbitrary<Sent> =>
  fc.record({
    line: fc.oneof(
      fc.constant(line),
      near(fc.constant(line), words).map((text) => text.replace(/[^!-~]/g, '').replace(/^([A-Z]+)/, '$1 ')),
    ),
    headers,
    body: fc.oneof(fc.constant(body), spoiled(fc.constant(body))),
    spoilt: fc.oneof(
      { weight: 2, arbitrary: fc.constant((bytes: string) => bytes) },
      { weight: 1, arbitrary: spoiler() },
    ),
    cut: fc.nat(2000),
  })

function spoiler(): fc.Arbitrary<(bytes: string) => string> {
  const edit = fc.tuple(fc.nat(2000), fc.nat(5), fc.constantFrom(...words, '\0', '\n', ' ', '\u00ff'))
  return edit.map(([at, length, piece]) => (bytes) => {
    const from = at % (bytes.length + 1)
    return bytes.slice(0, from) + piece + bytes.slice(from + length)
  })
}

const requests = fc.oneof(...lines.map((line) => one(line, '')), ...withBody.map(([line, body]) => one(line, body)))

describe('any request', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene({ serve: { headersTimeoutMs: 2000, idleTimeoutMs: 5000 } })
  })
  afterAll(() => scene.stop())

  it(
    'is answered with anything but 5xx, or disconnected, and does no harm',
    async () => {
      const statuses = new Map<number, number>()
      const property = fc.asyncProperty(requests, async (sent) => {
        const status = await statusOf(scene, sent)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      })
      const began = performance.now()
      const result = await fc.check(property, { ...seedOf(), ...share(10) })
      const rate = result.numRuns / ((performance.now() - began) / 1000)
      const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'none'}: ${count}`)
      console.log(`request: ${result.numRuns} inputs, ${rate.toFixed(0)}/s, seed ${result.seed}; ${counts.join(', ')}`)
      if (result.failed) throw new Error(replayed('request', result), { cause: result.errorInstance })
      expect(statuses.size).toBeGreaterThan(5)
      await scene.expectUnharmed(true)
      await scene.expectNothingLeft()
    },
    24 * 3600 * 1000,
  )
})

/** The first answer that is not interim, or 0 without any. */
async function statusOf(scene: Scene, { line, headers: sent, body, spoilt, cut }: Sent): Promise<number> {
  const wire = await connect(scene.server)
  try {
    const bytes = Buffer.from(spoilt(bytesOf(scene, line, sent, body)), 'latin1')
    wire.send(bytes.subarray(0, cut))
    if (bytes.length > cut) wire.send(bytes.subarray(cut))
    // If the server waits for more of a request that will never be complete, the input is ended.
    const end = setTimeout(() => wire.finish(), patienceMs)
    for (;;) {
      const answer = await wire.answer(line.slice(0, line.indexOf(' '))).catch(() => undefined)
      clearTimeout(end)
      if (answer === undefined) return 0
      if (answer.status < 200) continue
      expectDiscreet(answer, scene)
      return answer.status
    }
  } finally {
    wire.socket.destroy()
  }
}

/** Signed, unless it is so far from a request that it cannot be. */
function bytesOf({ server, filled }: Scene, line: string, sent: Sent['headers'], body: string): string {
  const extra = body === '' && line.startsWith('GET') ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const text = Buffer.from(body, 'utf8').toString('latin1')
  try {
    return requestBytes(server, filled(line), { headers: sent, extra, body: text })
  } catch {
    return requestText(line, [`host: ${server.host}`, ...extra], text)
  }
}
