/** The image, made by the steps of its Dockerfile in plain directories, and started as a container would be: by itself, and by the compose files. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { servicesOf } from './compose.ts'
import { buildImage, cleanEnvironment, type Image, placed } from './dockerfile.ts'
import { deploy } from './expressions.ts'

const context = fileURLToPath(new URL('../..', import.meta.url))
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }

describe('the image of the Dockerfile', { timeout: 300_000 }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'varve-image-'))
  let image: Image

  beforeAll(() => {
    image = buildImage(join(deploy, 'Dockerfile'), { context, scratch })
  }, 600_000)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  /** The words of a command, in the directories that stand for those of the image. */
  const here = (words: readonly string[]): readonly string[] =>
    words.map((word) => (word === '/nodejs/bin/node' ? process.execPath : placed(word, image)))

  const environment = (port: number) => ({
    ...cleanEnvironment(),
    ...Object.fromEntries(Object.entries(image.env).map(([name, value]) => [name, placed(value, image)])),
    VARVE_PORT: String(port),
    VARVE_ACCESS_KEY_ID: credentials.accessKeyId,
    VARVE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })

  const isHealthy = async (port: number): Promise<boolean> => {
    const [file = '', ...rest] = here(image.healthCheck)
    return promisify(execFile)(file, rest, { env: environment(port) }).then(
      () => true,
      () => false,
    )
  }

  it('starts, is healthy, serves a client, ends at its signal, and has everything at the next start', async () => {
    const port = await freePort()
    const [file = '', ...rest] = here([...image.entrypoint, ...image.command])
    const client = new S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
    })
    const object = { Bucket: 'photos', Key: 'a.txt' }
    for (const round of [1, 2]) {
      expect(await isHealthy(port)).toBe(false)
      const server = spawn(file, rest, { cwd: image.root, env: environment(port), stdio: 'ignore' })
      const ended = once(server, 'close')
      await expect.poll(() => isHealthy(port), { timeout: 60_000 }).toBe(true)
      if (round === 1) {
        await client.send(new CreateBucketCommand({ Bucket: object.Bucket }))
        await client.send(new PutObjectCommand({ ...object, Body: 'hello' }))
      }
      const { Body } = await client.send(new GetObjectCommand(object))
      expect(await Body?.transformToString()).toBe('hello')
      server.kill(image.stopSignal as NodeJS.Signals)
      expect(await ended).toEqual([0, null])
    }
    client.destroy()
  })

  /** Starts the image as a service of a compose file would, until it is healthy. */
  const started = async (path: string, name: string, given: Readonly<Record<string, string>>) => {
    const port = await freePort()
    const service = servicesOf(join(deploy, path), given)[name]
    const env = { ...environment(port), VARVE_DIR: join(scratch, `volume-of-${name}`), ...service?.environment }
    const [file = '', ...rest] = here([...image.entrypoint, ...(service?.command ?? image.command)])
    const server = spawn(file, rest, { cwd: image.root, env, stdio: 'ignore' })
    const ended = once(server, 'close')
    await expect.poll(() => isHealthy(port), { timeout: 60_000 }).toBe(true)
    const stop = async () => {
      server.kill(image.stopSignal as NodeJS.Signals)
      return ended
    }
    return { url: `http://127.0.0.1:${port}`, stop }
  }

  it('starts as compose.yaml starts it, with metrics and the keys that were given', async () => {
    const given = { VARVE_ACCESS_KEY_ID: 'compose-key', VARVE_SECRET_ACCESS_KEY: 'compose-secret' }
    expect(() => servicesOf(join(deploy, 'compose.yaml'), {})).toThrow(
      'VARVE_ACCESS_KEY_ID: the access key of the root',
    )
    const { url, stop } = await started('compose.yaml', 'varve', given)
    expect(await (await fetch(`${url}/-/metrics`)).text()).toContain('varve_requests_total')
    const client = new S3Client({
      endpoint: url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'compose-key', secretAccessKey: 'compose-secret' },
    })
    await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
    client.destroy()
    expect(await stop()).toEqual([0, null])
  })

  it('starts as the server for blobs of the cluster, in which the service that runs once makes the bucket', async () => {
    const names = ['VARVE_ACCESS_KEY_ID', 'VARVE_SECRET_ACCESS_KEY', 'BLOBS_ACCESS_KEY_ID', 'BLOBS_SECRET_ACCESS_KEY']
    const others = [
      'VARVE_MASTER_KEY',
      'DATABASE_PASSWORD',
      'POSTGRES_PASSWORD',
      'REPLICATION_PASSWORD',
      'PATRONI_PASSWORD',
    ]
    const given = Object.fromEntries([...names, ...others].map((name) => [name, `value-of-${name}`]))
    const { url, stop } = await started('cluster/compose.yaml', 'blobs', given)
    const { command = [], environment: own } = servicesOf(join(deploy, 'cluster/compose.yaml'), given)['bucket'] ?? {}
    const words = command.map((word) => word.replace('http://blobs:9000', url))
    const [file = '', ...rest] = here([...image.entrypoint, ...words])
    const env = { ...environment(0), ...own }
    const { stdout } = await promisify(execFile)(file, rest, { env })
    expect(stdout).toContain('varve-blobs')
    // At the next start of the cluster.
    await expect(promisify(execFile)(file, rest, { env })).rejects.toMatchObject({ code: 1 })
    expect(await stop()).toEqual([0, null])
  })

  it('runs as a user who is not root, and names a directory of its own for the data', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(image.env).toMatchObject({ VARVE_DIR: '/data' })
  })
})
