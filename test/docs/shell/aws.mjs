#!/usr/bin/env node
/**
 * Stands for the AWS command line where it is not installed: the few commands that the pages have, by the AWS SDK, with the
 * variables and options of the original.
 */
import { createReadStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'

/** Options without a value. */
const flags = ['recursive', 'object-lock-enabled-for-bucket']
const sdk = createRequire(import.meta.url)('@aws-sdk/client-s3')
const { options, words } = parsed(process.argv.slice(2))
const { AWS_ENDPOINT_URL, AWS_REGION = 'us-east-1' } = process.env
const client = new sdk.S3Client({
  endpoint: options['endpoint-url'] ?? AWS_ENDPOINT_URL,
  region: options['region'] ?? AWS_REGION,
  forcePathStyle: true,
})

function parsed(args) {
  const found = { options: {}, words: [] }
  for (let i = 0; i < args.length; i++) {
    const [, name] = /^--(.+)$/.exec(args[i]) ?? []
    if (name === undefined) found.words.push(args[i])
    else found.options[name] = flags.includes(name) ? true : args[++i]
  }
  return found
}

const place = (uri) => {
  const [, Bucket, Key = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(uri)
  return { Bucket, Key }
}

const pascal = (name) => name.replaceAll(/(^|-)(\w)/g, (_, __, letter) => letter.toUpperCase())

/** JSON, the short form `Status=Enabled`, or a text. */
function valueOf(text) {
  if (text === true) return true
  if (/^[{[]/.test(text)) return JSON.parse(text)
  const pair = /^(\w+)=([\w-]+)$/.exec(text)
  return pair === null ? text : { [pair[1]]: pair[2] }
}

const texts = new Set(['Policy'])

async function api(operation) {
  const { 'endpoint-url': _endpoint, region: _region, ...given } = options
  const input = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [pascal(name), texts.has(pascal(name)) ? value : valueOf(value)]),
  )
  const { $metadata: _metadata, ...answer } = await client.send(new sdk[`${pascal(operation)}Command`](input))
  console.log(JSON.stringify(answer, undefined, 4))
}

async function keysBeneath(uri) {
  const { Bucket, Key: Prefix } = place(uri)
  const { Contents = [] } = await client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix }))
  return Contents.map(({ Key }) => Key)
}

async function copyAll(from, to) {
  const { Bucket, Key: prefix } = place(from)
  for (const Key of await keysBeneath(from)) {
    const rest = Key.slice(prefix.length)
    if (to.startsWith('s3://')) {
      const CopySource = `${Bucket}/${encodeURIComponent(Key)}`
      await client.send(
        new sdk.CopyObjectCommand({ Bucket: place(to).Bucket, Key: `${place(to).Key}${rest}`, CopySource }),
      )
      continue
    }
    const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }))
    await mkdir(dirname(join(to, rest)), { recursive: true })
    await writeFile(join(to, rest), await Body.transformToByteArray())
  }
}

const simple = {
  mb: ([uri]) => client.send(new sdk.CreateBucketCommand({ Bucket: place(uri).Bucket })),
  ls: async ([uri]) => console.log((await keysBeneath(uri)).join('\n')),
  rm: ([uri]) => client.send(new sdk.DeleteObjectCommand(place(uri))),
  sync: ([from, to]) => copyAll(from, to),
  cp: async ([from, to]) => {
    if (options['recursive']) return copyAll(from, to)
    const Body = await buffer(from === '-' ? process.stdin : createReadStream(from))
    return client.send(new sdk.PutObjectCommand({ ...place(to), Body }))
  },
}

const [service, name, ...rest] = words
if (service === 's3' && name in simple) await simple[name](rest)
else if (service === 's3api') await api(name)
else throw new Error(`This stand-in has no ${words.join(' ')}`)
client.destroy()
