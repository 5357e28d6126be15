/** The SDK session with the AWS SDK for JavaScript v3. Buckets by host name if VARVE_STYLE says so. */
const { createReadStream, createWriteStream, readFileSync, writeFileSync } = require('node:fs')
const { Agent } = require('node:http')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { pipeline } = require('node:stream/promises')

const required = createRequire(join(process.env.VARVE_MODULES, 'session.cjs'))
const { Upload } = required('@aws-sdk/lib-storage')
const { getSignedUrl } = required('@aws-sdk/s3-request-presigner')
const {
  S3Client,
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} = required('@aws-sdk/client-s3')

const { VARVE_OUT: out, VARVE_BUCKET: Bucket, VARVE_LARGE: large, VARVE_STYLE: style } = process.env
const small = readFileSync(process.env.VARVE_SMALL)
/** Not every system finds `bucket.localhost` by itself. */
const lookup = (_host, { all }, found) => {
  if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
  else found(null, '127.0.0.1', 4)
}
const s3 = new S3Client({
  endpoint: process.env[style === 'hosts' ? 'VARVE_HOSTED_ENDPOINT' : 'AWS_ENDPOINT_URL'],
  forcePathStyle: style !== 'hosts',
  requestHandler: { httpAgent: new Agent({ lookup, keepAlive: true }) },
})
const put = (name, body) => writeFileSync(join(out, name), body)
const bytes = async (Key, more) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))
  return Body.transformToByteArray()
}
const status = (requested) =>
  requested.then(
    () => '200',
    (error) => String(error.$metadata?.httpStatusCode ?? error),
  )

async function session() {
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'kept/small', Body: small }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: '' }))
  await new Upload({ client: s3, params: { Bucket, Key: 'kept/large', Body: createReadStream(large) } }).done()
  put('small', await bytes('kept/small'))
  put('empty', await bytes('empty'))
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'kept/large' }))
  await pipeline(Body, createWriteStream(join(out, 'large')))
  put('range', await bytes('kept/large', { Range: 'bytes=1000-1999' }))
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'kept/copy', CopySource: `${Bucket}/kept/small` }))

  await s3.send(new PutObjectCommand({ Bucket, Key: 'versions', Body: small }))
  const { Versions } = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'versions' }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'versions', Body: 'newer' }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'versions' }))
  put('gone', await status(s3.send(new HeadObjectCommand({ Bucket, Key: 'versions' }))))
  put('old', await bytes('versions', { VersionId: Versions[0].VersionId }))
  const again = new PutObjectCommand({ Bucket, Key: 'kept/small', Body: 'other', IfNoneMatch: '*' })
  put('refused', await status(s3.send(again)))

  const keys = readFileSync(process.env.VARVE_KEYS, 'utf8').split('\n').map(decodeURIComponent)
  for (const key of keys) await s3.send(new PutObjectCommand({ Bucket, Key: `odd/${key}`, Body: key }))
  const listed = []
  for await (const page of paginateListObjectsV2({ client: s3, pageSize: 7 }, { Bucket, Prefix: 'odd/' })) {
    listed.push(...page.Contents.map(({ Key }) => Key))
  }
  put('listed', listed.map((key) => encodeURIComponent(key.slice('odd/'.length))).join('\n'))
  const Objects = listed.map((Key) => ({ Key }))
  const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  if (Errors.length > 0) throw new Error(JSON.stringify(Errors))

  put('url', await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'kept/large' })))
  put('put-url', await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'kept/presigned' })))
  s3.destroy()
}

session().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
