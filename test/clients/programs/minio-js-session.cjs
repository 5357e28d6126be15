/** The SDK session with minio-js, which has no conditional put and pages listings as it likes. */
const { createReadStream, readFileSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { buffer } = require('node:stream/consumers')

const { Client, CopySourceOptions, CopyDestinationOptions } = createRequire(
  join(process.env.VARVE_MODULES, 'session.cjs'),
)('minio')

const { VARVE_OUT: out, VARVE_BUCKET: bucket, VARVE_LARGE: large } = process.env
const small = readFileSync(process.env.VARVE_SMALL)
const { hostname, port } = new URL(process.env.AWS_ENDPOINT_URL)
const minio = new Client({
  endPoint: hostname,
  port: Number(port),
  useSSL: false,
  accessKey: process.env.AWS_ACCESS_KEY_ID,
  secretKey: process.env.AWS_SECRET_ACCESS_KEY,
  region: process.env.AWS_REGION,
  partSize: 8 * 1024 * 1024,
})
const put = (name, body) => writeFileSync(join(out, name), body)
const bytes = async (key, options) => buffer(await minio.getObject(bucket, key, options))
const all = async (stream) => {
  const found = []
  for await (const one of stream) found.push(one)
  return found
}

async function session() {
  await minio.makeBucket(bucket, process.env.AWS_REGION)
  await minio.setBucketVersioning(bucket, { Status: 'Enabled' })
  await minio.putObject(bucket, 'kept/small', small)
  await minio.putObject(bucket, 'empty', Buffer.alloc(0))
  await minio.putObject(bucket, 'kept/large', createReadStream(large))
  put('small', await bytes('kept/small'))
  put('empty', await bytes('empty'))
  await minio.fGetObject(bucket, 'kept/large', join(out, 'large'))
  put('range', await buffer(await minio.getPartialObject(bucket, 'kept/large', 1000, 1000)))
  await minio.copyObject(
    new CopySourceOptions({ Bucket: bucket, Object: 'kept/small' }),
    new CopyDestinationOptions({ Bucket: bucket, Object: 'kept/copy' }),
  )

  await minio.putObject(bucket, 'versions', small)
  const [old] = await all(minio.listObjects(bucket, 'versions', true, { IncludeVersion: true }))
  await minio.putObject(bucket, 'versions', 'newer')
  await minio.removeObject(bucket, 'versions')
  put(
    'gone',
    await minio.statObject(bucket, 'versions').then(
      () => '200',
      (error) => (error.code === 'NotFound' ? '404' : String(error)),
    ),
  )
  put('old', await bytes('versions', { versionId: old.versionId }))

  const keys = readFileSync(process.env.VARVE_KEYS, 'utf8').split('\n').map(decodeURIComponent)
  for (const key of keys) await minio.putObject(bucket, `odd/${key}`, key)
  const listed = (await all(minio.listObjectsV2(bucket, 'odd/', true))).map(({ name }) => name)
  put('listed', listed.map((key) => encodeURIComponent(key.slice('odd/'.length))).join('\n'))
  const results = await minio.removeObjects(bucket, listed)
  if (results.some((one) => one?.Error !== undefined)) throw new Error(JSON.stringify(results))

  put('url', await minio.presignedGetObject(bucket, 'kept/large', 600))
  put('put-url', await minio.presignedPutObject(bucket, 'kept/presigned', 600))
}

session().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
