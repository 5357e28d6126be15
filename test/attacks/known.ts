/** The attacks that worked once, by name. */
import { type Attack, nothing, without } from './attack.ts'
import { deletion, md5, policies } from './documents.ts'
import { fullBucket, plainBucket, policyBucket, stuckUpload } from './scenery.ts'

const base = { connections: 1, pipelined: 1, reader: 'reads', by: 'root', sending: 'whole', chunked: false } as const

function deleting(bucket: string, body: Buffer): Attack['request'] {
  return { method: 'POST', target: `/${bucket}?delete=`, headers: { 'content-md5': md5(body) }, body }
}

const listing = (target: string): Attack['request'] => ({ method: 'GET', target, headers: without, body: nothing })

const upload = (size: number): Attack['request'] => ({
  method: 'PUT',
  target: `/${plainBucket}/stalled`,
  headers: without,
  body: Buffer.alloc(size, 'x'),
})

const parts = Array.from(
  { length: 10_000 },
  (_, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${'0'.repeat(32)}"</ETag></Part>`,
).join('')

function document(method: 'PUT' | 'POST', target: string, root: string, content: string): Attack['request'] {
  const body = Buffer.from(`<${root}>${content}</${root}>`)
  return { method, target, headers: { 'content-md5': md5(body) }, body }
}

export const knownAttacks = (): readonly Attack[] => [
  ...Object.keys(policies).flatMap((shape) =>
    (['root', 'nobody'] as const).map((by) => ({
      ...base,
      name: `1,000 long keys deleted by ${by} against a policy of ${shape}`,
      by,
      request: deleting(policyBucket(shape), deletion(1000, 1015)),
    })),
  ),
  {
    ...base,
    name: '400 pipelined listings, answers unread',
    pipelined: 400,
    reader: 'stalls',
    request: listing(`/${fullBucket}?list-type=2`),
  },
  {
    ...base,
    name: '100 connections with 20 pipelined listings each, unread',
    connections: 100,
    pipelined: 20,
    reader: 'stalls',
    request: listing(`/${fullBucket}?versions=&encoding-type=url`),
  },
  {
    ...base,
    name: '100 stalled anonymous DeleteObjects',
    connections: 100,
    by: 'nobody',
    sending: 'stops',
    request: deleting(plainBucket, deletion(1000, 8000)),
  },
  {
    ...base,
    name: '100 stalled anonymous DeleteObjects where some are allowed',
    connections: 100,
    by: 'nobody',
    sending: 'stops',
    request: deleting(policyBucket('tags'), deletion(1000, 8000)),
  },
  {
    ...base,
    name: 'an answer of 49 MB, unread',
    connections: 4,
    reader: 'stalls',
    request: deleting(plainBucket, deletion(1000, 8000, '"')),
  },
  { ...base, name: 'an answer of 49 MB', request: deleting(plainBucket, deletion(1000, 8000, '"')) },
  { ...base, name: '600 idle connections', connections: 600, pipelined: 0, request: listing('/') },
  {
    ...base,
    name: '1,950 headers of another origin',
    pipelined: 10,
    by: 'nobody',
    request: {
      method: 'OPTIONS',
      target: `/${fullBucket}/k`,
      headers: {
        origin: 'http://a',
        'access-control-request-method': 'GET',
        'access-control-request-headers': Array.from({ length: 1950 }, (_, at) => `x${at}`).join(','),
      },
      body: nothing,
    },
  },
  {
    ...base,
    name: '200 downloads, unread',
    connections: 200,
    reader: 'stalls',
    request: listing(`/${fullBucket}/large`),
  },
  ...(['', 'follow=true'] as const).map((follow) => ({
    ...base,
    name: `300 logs of one identity, unread${follow === '' ? '' : ' and followed'}`,
    connections: 300,
    by: 'narrow' as const,
    reader: 'stalls' as const,
    request: listing(`/-/v1/log?${follow}`),
  })),
  {
    ...base,
    name: '300 listings of the control API, unread',
    connections: 300,
    reader: 'stalls',
    request: listing(`/-/v1/versions?bucket=${fullBucket}`),
  },
  {
    ...base,
    name: '200 stalled uploads',
    connections: 200,
    sending: 'stops',
    request: upload(600_000),
  },
  { ...base, name: '1,500 stalled uploads', connections: 1500, sending: 'stops', request: upload(600_000) },
  { ...base, name: '1,500 stalled uploads of 16 KB', connections: 1500, sending: 'stops', request: upload(16_000) },
  {
    ...base,
    name: '1,500 downloads, unread',
    connections: 1500,
    reader: 'stalls',
    request: listing(`/${fullBucket}/large`),
  },
  {
    ...base,
    name: '1,500 downloads of 100 KB, unread',
    connections: 1500,
    reader: 'stalls',
    request: listing(`/${fullBucket}/middle`),
  },
  {
    ...base,
    name: '3,000 connections whose head does not end',
    connections: 3000,
    sending: 'head',
    request: { ...listing('/'), headers: { referer: 'r'.repeat(14_000) } },
  },
  {
    ...base,
    name: '100 completions of many parts',
    connections: 100,
    request: document('POST', `/${fullBucket}/${stuckUpload()}`, 'CompleteMultipartUpload', parts),
  },
  {
    ...base,
    name: '100 settings of many elements',
    connections: 100,
    request: document('PUT', `/${plainBucket}?cors=`, 'CORSConfiguration', '<a/>'.repeat(1_000_000)),
  },
  {
    ...base,
    name: '100 lists of buckets, unread',
    connections: 100,
    pipelined: 20,
    reader: 'stalls',
    request: listing('/'),
  },
]
