/**
 * The server that has the blobs. Any S3 server could be it, and a server of Varve is at hand. VARVE_CLUSTER_BLOBS is the path of another program:
 * `minio` or `versitygw`.
 */
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'

export const blobsBucket = 'blobs'

const programs = {
  minio: ({ dir, port, accessKeyId, secretAccessKey }) => ({
    args: ['server', dir, '--address', `127.0.0.1:${port}`, '--quiet'],
    env: { MINIO_ROOT_USER: accessKeyId, MINIO_ROOT_PASSWORD: secretAccessKey, MINIO_BROWSER: 'off' },
  }),
  versitygw: ({ dir, port, accessKeyId, secretAccessKey }) => ({
    args: ['--port', `127.0.0.1:${port}`, '--region', 'eu', 'posix', dir],
    env: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
  }),
}

export function blobsMember(plan, { varve, keys }) {
  const port = plan.ports.blobs
  const dir = join(plan.dir, 'blobs')
  const given = process.env.VARVE_CLUSTER_BLOBS
  const own = { command: [process.execPath, varve, 'serve', dir, '--port', String(port)], env: keys }
  return {
    name: 'blobs',
    address: `http://127.0.0.1:${port}`,
    ...(given === undefined ? own : other(given, { ...plan, dir, port })),
    ready: () => makeBucket(plan),
  }
}

function other(program, plan) {
  const form = programs[basename(program)]
  if (form === undefined) throw new Error(`VARVE_CLUSTER_BLOBS names one of ${Object.keys(programs).join(', ')}.`)
  const { args, env } = form(plan)
  return { command: [program, ...args], env, prepare: () => void mkdirSync(plan.dir, { recursive: true }) }
}

/** Fails until the server answers, and if the bucket is there: then the server has it from before. */
async function makeBucket({ ports, accessKeyId, secretAccessKey }) {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${ports.blobs}`,
    region: 'eu',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
  })
  try {
    await client.send(new CreateBucketCommand({ Bucket: blobsBucket }))
    return true
  } catch (error) {
    if (error.name.startsWith('BucketAlready')) return true
    throw error
  } finally {
    client.destroy()
  }
}
