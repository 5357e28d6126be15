/** Attacks drawn by a seed. Each dimension is drawn by itself, so that unexpected combinations occur. */
import { type Random, randomFrom } from '../support/random.ts'
import { type Attack, type AttackRequest, nothing, without } from './attack.ts'
import { drawnDeletion, drawnXml, md5, policies } from './documents.ts'
import { fullBucket, plainBucket, policyBucket, stuckUpload } from './scenery.ts'

export function drawAttack(seed: number): Attack {
  const random = randomFrom(seed)
  const operation = random.pick(Object.keys(operations))
  const request = (operations[operation] as Draw)(random)
  const connections = random.pick([1, 1, 4, 20, 100])
  // What all of them send together stays within what a client of this machine can send in the time of a draw.
  const most = Math.max(1, Math.floor(24_000_000 / (connections * (request.body.length + 1000))))
  const attack = {
    connections,
    pipelined: Math.min(most, random.pick([1, 1, 1, 10, 100, 400])),
    reader: random.pick(['reads', 'slow', 'stalls'] as const),
    by: random.pick(['root', 'narrow', 'nobody'] as const),
    request,
    sending: random.pick(['whole', 'whole', 'pieces', 'stops'] as const),
    chunked: random.chance(0.2),
  }
  const { by, pipelined, reader, sending } = attack
  const name = `${seed}: ${connections} x ${pipelined} ${operation} by ${by}, ${request.body.length} bytes ${sending}, ${reader}`
  return { name, ...attack }
}

const json = { 'content-type': 'application/json' }

type Draw = (random: Random) => AttackRequest

const bucketOf = (random: Random): string =>
  random.pick([plainBucket, fullBucket, ...Object.keys(policies).map(policyBucket)])

const get = (target: string, headers = without): AttackRequest => ({ method: 'GET', target, headers, body: nothing })

function withBody(method: 'PUT' | 'POST', target: string, body: Buffer): AttackRequest {
  return { method, target, headers: { 'content-md5': md5(body) }, body }
}

function listing(parameters: string): Draw {
  return (random) => {
    const more = random.pick(['', '&encoding-type=url', '&delimiter=a', '&delimiter=%2F&prefix=k', '&max-keys=1'])
    return get(`/${random.pick([fullBucket, fullBucket, plainBucket])}?${parameters}${more}`)
  }
}

const longHeader = (random: Random): string =>
  random.pick(['a', 'a,', 'x=y&', '*', '10.1.2.3, ']).repeat(random.pick([10, 1000, 2500]))

/** Answers of the control API that go on as long as somebody reads them. */
const streams = [
  'log?',
  'log?follow=true&',
  'versions?',
  'objects?',
  'uploads/page?',
  'history?key=small&',
  'diff?from=1&',
]

const operations: Readonly<Record<string, Draw>> = {
  ListObjectsV2: listing('list-type=2'),
  ListObjects: listing(''),
  ListObjectVersions: listing('versions='),
  ListMultipartUploads: listing('uploads='),
  ListParts: () => get(`/${fullBucket}/${stuckUpload()}`),
  ListBuckets: () => get('/'),
  ControlStream: (random) => get(`/-/v1/${random.pick(streams)}bucket=${fullBucket}`),
  PostToControl: (random) => {
    const body = Buffer.from(`{"bucket":"${fullBucket}","prefix":${'['.repeat(random.pick([0, 1000, 100_000]))}`)
    return { method: 'POST', target: `/-/v1/${random.pick(['erase', 'undo', 'restore'])}`, headers: json, body }
  },
  GetObject: (random) => get(`/${fullBucket}/${random.pick(['large', 'small', 'none'])}`),
  GetObjectWithHeaders: (random) =>
    get(`/${bucketOf(random)}/k`, {
      [random.pick(['user-agent', 'referer', 'x-amz-tagging', 'if-match', 'x-forwarded-for', 'range'])]:
        longHeader(random),
    }),
  PutObject: (random) =>
    withBody('PUT', `/${plainBucket}/put`, Buffer.alloc(random.pick([0, 1000, 40_000, 1_000_000]), 'x')),
  DeleteObjects: (random) => withBody('POST', `/${bucketOf(random)}?delete=`, drawnDeletion(random)),
  DeleteObjectsOther: (random) => withBody('POST', `/${bucketOf(random)}?delete=`, drawnXml(random)),
  CompleteMultipartUpload: (random) => withBody('POST', `/${fullBucket}/${stuckUpload()}`, drawnXml(random)),
  PutBucketPolicy: (random) => {
    const shape = random.pick(Object.values(policies))
    return withBody(
      'PUT',
      `/${plainBucket}?policy=`,
      Buffer.from(JSON.stringify({ Version: '2012-10-17', Statement: shape('other') })),
    )
  },
  PutSetting: (random) =>
    withBody(
      'PUT',
      `/${plainBucket}?${random.pick(['cors', 'tagging', 'lifecycle', 'website', 'notification'])}=`,
      drawnXml(random),
    ),
  Preflight: (random) => ({
    method: 'OPTIONS',
    target: `/${fullBucket}/k`,
    headers: {
      origin: 'http://a',
      'access-control-request-method': 'GET',
      'access-control-request-headers': Array.from({ length: random.pick([1, 100, 1950]) }, (_, at) => `x${at}`).join(
        ',',
      ),
    },
    body: nothing,
  }),
}
