/** Bodies that cost much: XML of many shapes, and policies. */
import { createHash } from 'node:crypto'
import type { Random } from '../support/random.ts'

export const md5 = (body: Buffer): string => createHash('md5').update(body).digest('base64')

const units = ['a', 'a?', '"', '&quot;', '&#1;', '\r\n', 'ü', '<!-- c -->', '<![CDATA[<]]>', '*']

/** A `Delete` of so many keys of about so many characters. */
export function deletion(keys: number, length: number, unit = 'a'): Buffer {
  const key = unit.repeat(Math.max(1, Math.floor(length / unit.length)))
  const objects = Array.from({ length: keys }, (_, at) => `<Object><Key>${key}${at}</Key></Object>`)
  return Buffer.from(`<Delete>${objects.join('')}</Delete>`)
}

export const drawnDeletion = (random: Random): Buffer =>
  deletion(random.pick([1, 50, 500, 1000]), random.pick([10, 200, 1015, 8000]), random.pick(units))

/** Elements in one another, or beside one another. */
export function drawnXml(random: Random): Buffer {
  const root = random.pick([
    'Delete',
    'CompleteMultipartUpload',
    'CORSConfiguration',
    'Tagging',
    'LifecycleConfiguration',
  ])
  const inside = random.pick([
    '<Object><Key>k</Key></Object>',
    '<Part><PartNumber>1</PartNumber></Part>',
    '<CORSRule/>',
    '<a/>',
  ])
  const times = random.pick([1, 1000, 20_000, 100_000])
  const deep = random.chance(0.3)
  const text = deep ? `${'<a>'.repeat(times)}${'</a>'.repeat(times)}` : inside.repeat(times)
  return Buffer.from(`<${root}>${text.slice(0, 4_000_000)}</${root}>`)
}

/** Shapes of a bucket's policy, by the bucket that has it. */
export const policies: Readonly<Record<string, (bucket: string) => object>> = {
  'long-patterns': (bucket) =>
    statement(
      bucket,
      Array.from({ length: 36 }, (_, at) => `${'*a'.repeat(200 + at)}b*c`),
    ),
  'long-pieces': (bucket) =>
    statement(
      bucket,
      Array.from({ length: 36 }, (_, at) => `*b${'a'.repeat(450 + at)}*`),
    ),
  'question-marks': (bucket) =>
    statement(
      bucket,
      Array.from({ length: 36 }, (_, at) => `*${'a?'.repeat(220 + at)}b*`),
    ),
  'many-patterns': (bucket) =>
    statement(
      bucket,
      Array.from({ length: 350 }, (_, at) => `*z${at}*`),
    ),
  'many-values': (bucket) => ({
    ...statement(bucket, ['*']),
    Condition: { StringLike: { 'aws:UserAgent': Array.from({ length: 800 }, (_, at) => `*x${at}*y*`) } },
  }),
  'many-ranges': (bucket) => ({
    ...statement(bucket, ['*']),
    Condition: {
      IpAddress: { 'aws:SourceIp': Array.from({ length: 800 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`) },
    },
  }),
  tags: (bucket) => ({
    ...statement(bucket, ['*']),
    Condition: { StringLike: { 's3:ExistingObjectTag/a': Array.from({ length: 500 }, (_, at) => `*${at}*`) } },
  }),
}

const statement = (bucket: string, patterns: readonly string[]) => ({
  Effect: 'Allow',
  Principal: '*',
  Action: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
  Resource: patterns.map((pattern) => `arn:aws:s3:::${bucket}/${pattern}`),
})
