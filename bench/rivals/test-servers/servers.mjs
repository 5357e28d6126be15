/**
 * Servers that programs start in their own process to test code that uses S3. `load` imports what a test file imports, and
 * `start` answers when requests can be sent. `put` stores an object before a reset; it is not measured.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const bucket = 'fixtures'
const scratch = () => mkdtempSync(join(tmpdir(), 'test-servers-'))

async function overHttp(config) {
  const { S3Client, PutObjectCommand } = await import('@aws-sdk/client-s3')
  const client = new S3Client({ region: 'us-east-1', forcePathStyle: true, ...config })
  return (key) => client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'bytes' }))
}

export const servers = {
  varve: {
    load: () => import('varve/testing'),
    async start({ startS3 }) {
      const s3 = await startS3({ buckets: [bucket] })
      return { url: s3.url, putter: () => overHttp(s3.clientConfig), reset: () => s3.reset(), stop: () => s3.stop() }
    },
  },
  s3rver: {
    load: async () => (await import('s3rver')).default,
    async start(S3rver) {
      const options = { address: '127.0.0.1', port: 0, silent: true, directory: scratch() }
      const server = new S3rver({ ...options, configureBuckets: [{ name: bucket, configs: [] }] })
      const { port } = await server.run()
      const url = `http://127.0.0.1:${port}`
      const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
      const reset = async () => {
        server.reset()
        await server.configureBuckets()
      }
      return { url, putter: () => overHttp({ endpoint: url, credentials }), reset, stop: () => server.close() }
    },
  },
  fauxqs: {
    load: () => import('fauxqs'),
    async start({ startFauxqs }) {
      const server = await startFauxqs({ port: 0, logger: false })
      server.createBucket(bucket)
      const reset = () => {
        server.purgeAll()
        server.createBucket(bucket)
      }
      const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
      const putter = () => overHttp({ endpoint: server.address, credentials })
      return { url: server.address, putter, reset, stop: () => server.stop() }
    },
  },
  miniflare: {
    load: () => import('miniflare'),
    async start({ Miniflare }) {
      const script = "export default { fetch: () => new Response('') }"
      const server = new Miniflare({ modules: true, script, r2Buckets: ['BUCKET'] })
      const url = await server.ready
      const objects = await server.getR2Bucket('BUCKET')
      // It has no reset: its users list what is there and delete it.
      const reset = async () => objects.delete((await objects.list()).objects.map(({ key }) => key))
      return {
        url: url.href,
        putter: async () => (key) => objects.put(key, 'bytes'),
        reset,
        stop: () => server.dispose(),
      }
    },
  },
}
