/** The session that looks back, with the AWS SDK for JavaScript v3. Buckets by host name, where the name fits. */
const { mkdirSync, writeFileSync } = require('node:fs')
const { Agent } = require('node:http')
const { createRequire } = require('node:module')
const { dirname, join } = require('node:path')

const required = createRequire(join(process.env.VARVE_MODULES, 'session.cjs'))
const { getSignedUrl } = required('@aws-sdk/s3-request-presigner')
const {
  S3Client,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} = required('@aws-sdk/client-s3')

const { VARVE_OUT: out, VARVE_BUCKET: bucket, VARVE_PAST: pasts, VARVE_LONG: long } = process.env
/** Not every system finds `bucket.localhost` by itself. */
const lookup = (_host, { all }, found) => {
  if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
  else found(null, '127.0.0.1', 4)
}
const s3 = new S3Client({
  endpoint: process.env.VARVE_HOSTED_ENDPOINT,
  requestHandler: { httpAgent: new Agent({ lookup, keepAlive: true }) },
})
const bytes = async (input) => (await s3.send(new GetObjectCommand(input))).Body.transformToByteArray()
const outcome = (command) =>
  s3.send(command).then(
    () => '200',
    (error) => {
      const status = error.$metadata?.httpStatusCode
      return status === undefined ? String(error) : `${status} ${error.name}`
    },
  )

async function lookBack(Bucket, index) {
  const put = (name, body) => {
    const path = join(out, String(index), name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, body)
  }
  const listed = []
  for await (const page of paginateListObjectsV2({ client: s3, pageSize: 7 }, { Bucket, Prefix: 'tree/' })) {
    listed.push(...page.Contents.map(({ Key }) => Key))
  }
  put('listed', listed.map(encodeURIComponent).join('\n'))
  for (const Key of listed) put(Key, await bytes({ Bucket, Key }))
  const Key = 'tree/large'
  put('range', await bytes({ Bucket, Key, Range: 'bytes=1000-1999' }))
  put('length', String((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength))
  put('url', await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key })))
  const refused = [
    new PutObjectCommand({ Bucket, Key: 'new', Body: 'x' }),
    new DeleteObjectCommand({ Bucket, Key }),
    new CopyObjectCommand({ Bucket, Key: 'new', CopySource: `${Bucket}/${Key}` }),
    new CreateMultipartUploadCommand({ Bucket, Key: 'new' }),
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }),
  ]
  const lines = []
  for (const command of refused) lines.push(await outcome(command))
  put('refused', lines.join('\n'))
  for (const [name, source] of [
    ['large', Key],
    ['small', 'tree/sub/small'],
  ]) {
    const CopySource = `${Bucket}/${source}`
    await s3.send(new CopyObjectCommand({ Bucket: bucket, Key: `back/${index}/${name}`, CopySource }))
  }
}

async function session() {
  for (const [index, past] of pasts.split(' ').entries()) await lookBack(past, index)
  const lines = []
  for (const Bucket of long.split(' ')) lines.push(await outcome(new GetObjectCommand({ Bucket, Key: 'k' })))
  writeFileSync(join(out, 'long'), lines.join('\n'))
  s3.destroy()
}

session().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
